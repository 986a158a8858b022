cimport cython
from ikrig.kernels.buffers cimport Doubles, Objects, objects
from ikrig.kernels.foot cimport Foot
from ikrig.kernels.foot_ground cimport GroundKernel
from ikrig.kernels.leg cimport Leg
from ikrig.kernels.sole cimport LEG, ORIGIN, RISE, Sole
from ikrig.kernels.spring_damper cimport SpringDamper
from ikrig.kernels.swing cimport SETTLED
from libc.math cimport sqrt

cdef double MAX_ACCELERATION, MAX_SAG, PULLED, OVERSHOOT, PACE_SECONDS, LEAD, LANDING
cdef double SPARE, SIGHT, FORESIGHT, RAMP_SECONDS, MIN_SPEED
cdef int POINTS_PER_SIDE


@cython.final
cdef class Hips:
    cdef public tuple feet, legs
    cdef Objects limb, foot
    cdef Sole first
    cdef public SpringDamper height, ramp_x, ramp_y, sag
    cdef public double up, x, y, limit
    cdef double from_x, from_y, to_x, to_y
    # what its legs ask for
    cdef double leg, step, plane, line, shift, reach, landing, slack, fold, lowest, pace
    cdef public int has_height
    cdef int joint, has_read, count

    cpdef void reset(self) noexcept nogil
    cdef void read(self, Doubles net) noexcept nogil
    cdef void end_frame(self) noexcept nogil
    cdef void advance(
        self, GroundKernel ground, double until, double part, double seconds,
        double dt) noexcept nogil
    cpdef void survey(
        self, GroundKernel ground, double x, double y, double until, double part,
        double dt) noexcept nogil
    cdef double slope_along(
        self, GroundKernel ground, double x, double y, double ux, double uy,
        double sight, double until) noexcept nogil
    cpdef void follow(self, double x, double y, double seconds, double dt) noexcept nogil
    cdef double haste(self, double beyond, double near, double dt) noexcept nogil
    cdef void ask(
        self, Leg limb, Foot foot, double x, double y, double seconds) noexcept nogil
