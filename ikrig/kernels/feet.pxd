from ikrig.kernels.actor_frame cimport (
    GOAL, GOAL_POLE, GOAL_POLED, GOAL_TURN, GOAL_TURNED, GOAL_WEIGHT)
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.foot cimport LEG, ORIGIN, RISE, SETTLED, TURN, Foot, shortest
from ikrig.kernels.foot_ground cimport GroundKernel
from ikrig.kernels.leg cimport Leg
from ikrig.kernels.matrices cimport from_rows, square_up
from ikrig.kernels.spring_damper cimport SpringDamper
from libc.math cimport atan2, ceil, sqrt

cdef double MAX_ACCELERATION, MAX_SAG, PULLED, SPARE
cdef double SPACING, RAMP_SECONDS, MIN_SPEED, LEAD, AHEAD, LANDING
cdef double PIECE, LEAP, UPRIGHT
cdef int POINTS_PER_SIDE, PIECES, TILTED, LEGLESS


cdef class Hips:
    cdef public list feet, legs
    cdef public SpringDamper height, ramp_x, ramp_y, sag
    cdef public double up, x, y, limit
    cdef double from_x, from_y, to_x, to_y
    cdef public int has_height
    cdef int joint, has_read

    cpdef void reset(self)
    cdef void read(self, Doubles net) noexcept
    cdef void end_frame(self) noexcept
    cdef void advance(
        self, GroundKernel ground, double until, double part, double seconds, double dt)
    cpdef void survey(
        self, GroundKernel ground, double x, double y, double until, double part,
        double dt)
    cdef double slope_along(
        self, GroundKernel ground, double x, double y, double ux, double uy,
        double until) noexcept
    cpdef void follow(self, double x, double y, double seconds, double dt)


cdef class Feet:
    cdef public list feet, legs, bodies
    cdef object _pinned
    cdef int count, scratch, has_before, has_run
    cdef readonly double leg
    cdef double before_x, before_y, before_z, yaw, before_yaw, turned
    cdef float[::1] mats
    cdef float[::1] world
    cdef Ints parent, carrier, above
    cdef Doubles goal, net, move

    cpdef int begin(self) except -1
    cpdef int advance(
        self, GroundKernel ground, double hips_seconds, double weight,
        double dt) except -1
    cpdef void reset(self)
    cpdef double read(self) except? -9
    cpdef void set_floor(self, double height)
    cpdef void plan(
        self, int f, int state, double left, double whole, double x, double y,
        double z, double half, double way_x, double way_y, double way_z)
    cpdef void step(self, GroundKernel ground, int pieces, double hips_seconds, double dt)
    cdef void step_on_the_spot(self)
    cdef int may_step(self, int f, double x, double y)
    cpdef int pass_goals(self, object numbers, double weight) except -1
    cdef void finish(self, int f, GroundKernel ground, double up, double dt)
