cimport cython
from ikrig.kernels.actor_frame cimport (
    GOAL, GOAL_POLE, GOAL_POLED, GOAL_TURN, GOAL_TURNED, GOAL_WEIGHT)
from ikrig.kernels.buffers cimport (
    Doubles, Floats, Ints, Objects, doubles, floats, ints, objects, pin)
from ikrig.kernels.foot cimport Foot
from ikrig.kernels.foot_ground cimport GroundKernel
from ikrig.kernels.hips cimport Hips
from ikrig.kernels.leg cimport Leg
from ikrig.kernels.matrices cimport from_rows, square_up
from ikrig.kernels.pose cimport AHEAD, PoseKernel
from ikrig.kernels.sole cimport HIP, LEG, ORIGIN, RISE, TURN, shortest
from libc.math cimport atan2, ceil, sqrt

cdef double PIECE, LEAP, UPRIGHT, JOINS, LEADING
cdef double JUMPS, OFF_GROUND, ON_GROUND, BESIDE, RISER, HANGS_SPEED, HANGS, STANDS_SECONDS
cdef int PIECES, TILTED, LEGLESS, FLAT


@cython.final
cdef class Feet:
    cdef public tuple feet, legs, bodies
    cdef Objects limb, foot, body
    cdef object _pinned
    cdef int count, foot_count, body_count, scratch, has_before, has_run
    cdef readonly double leg
    cdef double before_x, before_y, before_z, yaw, before_yaw, turned
    cdef double moved_x, moved_y, moved_z, middle_x, middle_y, clearance, hung
    cdef readonly int flying
    cdef Floats own_mats, own_world, world
    cdef Ints parent, carrier, above
    cdef Doubles goal, net, move

    cpdef int begin(self) noexcept nogil
    cdef int begin_at(self, Floats mats, Floats world) noexcept nogil
    cpdef int advance(
        self, GroundKernel ground, double hips_seconds, double weight,
        double dt) noexcept nogil
    cdef void find_flight(self, GroundKernel ground, double dt) noexcept nogil
    cdef int is_beside(self, GroundKernel ground, double z, double step) noexcept nogil
    cdef double rise(self, int b) noexcept nogil
    cpdef void reset(self) noexcept nogil
    cdef double read(self, Floats mats) noexcept nogil
    cdef void set_floor(self, double height) noexcept nogil
    cdef void plan(
        self, int f, int state, double left, double whole, double x, double y,
        double z, double half, double way_x, double way_y, double way_z) noexcept nogil
    cdef void plan_foot(
        self, Foot foot, int state, double left, double whole, double x, double y,
        double z, double half, double way_x, double way_y, double way_z) noexcept nogil
    cdef void step(
        self, GroundKernel ground, int pieces, double hips_seconds,
        double dt) noexcept nogil
    cdef void keep_sides(self) noexcept nogil
    cdef void step_on_the_spot(self) noexcept nogil
    cdef int may_step(self, int f, double x, double y) noexcept nogil
    cdef double invert(self) noexcept nogil
    cdef void write_goals(self, Doubles out, double weight) noexcept nogil
    cdef void finish(
        self, Leg leg, Foot foot, int f, GroundKernel ground, double up,
        double dt) noexcept nogil


@cython.final
cdef class PosedFeet:
    cdef PoseKernel figure
    cdef object _pinned
    cdef int joint_count
    cdef Floats mats, world
    cdef Doubles goal
    cdef Ints joint, hip, end, fold

    cpdef int read(self, Feet feet) noexcept nogil
    cpdef int write(self, Feet feet, double weight) noexcept nogil
