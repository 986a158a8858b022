from ikrig.kernels.foot_ground cimport GroundKernel
from ikrig.kernels.foot_hold cimport FREE_HEIGHT, HELD_HEIGHT, SETTLED, FootHoldKernel
from ikrig.kernels.foot_pose cimport fall
from libc.math cimport exp, sqrt, tan

cdef double TILT_DEPTH, STRIDE_RATIO, MAX_LIFT_SPEED
cdef double SUPPORT_HEIGHT, LIFTED_HEIGHT, LANDING_NEAR, LANDING_FAR
cdef int PATH_POINTS, BISECTIONS


cdef class FootStepKernel(FootHoldKernel):
    cpdef void aim(self, double until, double part, double dt) noexcept
    cdef void see_ahead(self, double part, double dt) noexcept
    cdef double survey_corners(self, GroundKernel ground) noexcept
    cdef double floor_at(self, int i) noexcept
    cpdef void settle(self, GroundKernel ground, double dt) noexcept
    cdef void incline(self, double dt) noexcept
