from ikrig.kernels.actor_frame cimport (
    GOAL, GOAL_POLE, GOAL_POLED, GOAL_TURN, GOAL_TURNED, GOAL_WEIGHT)
from ikrig.kernels.bend_sides cimport SLIGHT_BEND, WRONG_BEND, add_pole
from ikrig.kernels.buffers cimport (
    Doubles, Floats, Ints, Objects, doubles, floats, ints, objects, pin)
from ikrig.kernels.chain cimport ChainKernel
from ikrig.kernels.rest_pose cimport OUTWARDS
from ikrig.kernels.clip_plans cimport ClipPlans
from ikrig.kernels.crowd cimport FEET, LIMBS, CrowdLayer
from ikrig.kernels.crowd_clips cimport SLOTS
from ikrig.kernels.feet cimport Feet, PosedFeet
from ikrig.kernels.foot_ground cimport GroundKernel
from ikrig.kernels.leg cimport Leg
from ikrig.kernels.matrices cimport from_rows, square_up
from ikrig.kernels.pose cimport AHEAD, PoseKernel, net_of
from ikrig.kernels.quat_ops cimport mul
from ikrig.kernels.vectors cimport (
    between, by_rows, cross, in_rows, less, moved, norm3, put, three)
from libc.math cimport sqrt


cdef double AWAY


cdef class CrowdPlaces(CrowdLayer):
    cdef object _crowd
    cdef Doubles position, facing, size, unspace
    cdef double x, y, z

    cdef void tell(self, int i, Feet feet) noexcept nogil
    cdef void enter(self, int i, Doubles points, long o) noexcept nogil
    cdef void set_world(self, int i, Doubles above, int wide, Floats out) noexcept nogil


cdef class CrowdState(CrowdPlaces):
    cdef object _buffers
    cdef int size_of_state
    cdef Doubles clock, weight, state

    cdef bint is_sound(self, int i) noexcept nogil
    cdef void apply(self, int i, double dt) noexcept nogil
    cdef void reset(self, int i, long o) noexcept nogil
    cdef void act(self, int i, long o, double weight, double dt) noexcept nogil


cdef class CrowdLimb(CrowdPlaces):
    cdef PoseKernel figure
    cdef ChainKernel kernel
    cdef object _goals
    cdef Ints joint, poled
    cdef int count, above
    cdef bint keeps, is_closed
    cdef Doubles target, weight, pole, end
    cdef double[36] turn
    cdef double settings_weight, side_x, side_y, side_z, px, py, pz

    cdef bint is_sound(self, int i) noexcept nogil
    cdef void apply(self, int i, double dt) noexcept nogil
    cdef void reach(self, int i, double dt) noexcept nogil
    cdef void solve(
        self, int use_pole, int use_tip, double weight, double dt) noexcept nogil
    cdef bint bend(self, int use_pole, int use_tip) noexcept nogil
    cdef void set_side(self, int o) noexcept nogil
    cdef void set_first(self, int o) noexcept nogil


cdef class CrowdLeg(CrowdLimb):
    cdef object _numbers
    cdef Doubles numbers
    cdef int first, usual
    cdef double usual_x, usual_y, usual_z

    cdef bint is_sound(self, int i) noexcept nogil
    cdef void reach(self, int i, double dt) noexcept nogil
    cdef void take_side(self, Leg leg, Doubles thigh, long o) noexcept nogil


cdef class CrowdFeet(CrowdPlaces):
    cdef PosedFeet posed
    cdef list frame
    cdef tuple _held
    cdef object _buffers, given
    cdef Objects leg, feet
    cdef GroundKernel ground
    cdef public CrowdPlaces warps
    cdef ClipPlans plans
    cdef int count
    cdef Doubles goal, weight, thigh, hip_seconds, above
    cdef Ints code
    cdef Floats world

    cdef int begin(self) except -1
    cdef void apply(self, int i, double dt) noexcept nogil
    cdef void plan(self, Feet kernel, int i, double dt) noexcept nogil


cdef void bone_frame(
    Doubles out, long o, double x, double y, double z, double nx, double ny,
    double nz, double k) noexcept nogil
cdef void reframe(
    Doubles out, long o, Doubles rows, long i, Doubles frames, long f) noexcept nogil
