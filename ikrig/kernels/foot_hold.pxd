from ikrig.kernels.foot_pose cimport fall, shortest
from ikrig.kernels.foot_reach cimport FootReachKernel
from libc.math cimport exp, sqrt

cdef double HELD_HEIGHT, FREE_HEIGHT, HELD_SPEED, FREE_SPEED, MEAN_SECONDS
cdef double SLIP_START, MAX_TWIST, STEP_SECONDS, STEP_HEIGHT, WALK_SPEED, SETTLED


cdef class FootHoldKernel(FootReachKernel):
    cdef void hold_on(self, double yaw, double dt) noexcept
    cdef void shift(self, double x, double y) noexcept
    cpdef double wants_step(self) noexcept
    cpdef void begin_step(self) noexcept
    cdef void step_back(self, double dt) noexcept
