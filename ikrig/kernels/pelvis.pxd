from ikrig.kernels.foot_ground cimport GroundKernel
from ikrig.kernels.foot_pose cimport LEG, ORIGIN, RISE
from ikrig.kernels.foot_step cimport FootStepKernel
from ikrig.kernels.spring_damper cimport SpringDamper
from libc.math cimport sqrt

cdef double MAX_SINK_SPEED, MIN_SUPPORT, SPACING, RAMP_SECONDS, MIN_SPEED
cdef int POINTS_PER_SIDE


cdef class PelvisKernel:
    cdef public list feet
    cdef public SpringDamper height, ramp_x, ramp_y
    cdef public double up, x, y
    cdef public int has_height

    cpdef void reset(self)
    cpdef void survey(
        self, GroundKernel ground, double x, double y, double until, double part,
        double dt)
    cdef double slope_along(
        self, GroundKernel ground, double x, double y, double ux, double uy,
        double until) noexcept
    cpdef void follow(self, double x, double y, double seconds, double dt)
