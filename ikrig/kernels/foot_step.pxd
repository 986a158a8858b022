from ikrig.kernels.foot_ground cimport GroundKernel
from ikrig.kernels.foot_pose cimport FootPoseKernel

cdef double LOW, HIGH, SLOW, FAST, MEMORY, UNDER, STRIDE, CLIMB, SLACK, TWIST
cdef double STRAIGHT, STEP_SECONDS, STEP_HIGH, SETTLED, SINK, BEND, STIR
cdef int AHEAD, HALVES

cdef double knee_angle(double length, double thigh, double shin) noexcept


cdef class FootStepKernel(FootPoseKernel):
    cpdef void aim(self, double until, double part, double dt) noexcept
    cdef void hold_on(self, double yaw, double dt) noexcept
    cdef void shift(self, double x, double y) noexcept
    cpdef double wants_step(self) noexcept
    cpdef void begin_step(self) noexcept
    cdef void step_back(self, double dt) noexcept
    cdef void see_ahead(self, double part, double dt) noexcept
    cdef double look(self, GroundKernel ground) noexcept
    cpdef void settle(self, GroundKernel ground, double dt) noexcept
    cdef void incline(self, double dt) noexcept
    cpdef double longest(self) noexcept
    cpdef double hip_height(self, double held) noexcept
    cpdef double highest_hip(self) noexcept
    cpdef double bend(self, double up, double thigh, double shin, double dt) noexcept
    cpdef void let_go(self, double up) noexcept
