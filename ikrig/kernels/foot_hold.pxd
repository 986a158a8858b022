from ikrig.kernels.foot_reach cimport FootReachKernel

cdef double LOW, HIGH, SLOW, FAST, MEMORY, SLACK, TWIST, STEP_SECONDS, STEP_HIGH
cdef double STIR, SETTLED


cdef class FootHoldKernel(FootReachKernel):
    cdef void hold_on(self, double yaw, double dt) noexcept
    cdef void shift(self, double x, double y) noexcept
    cpdef double wants_step(self) noexcept
    cpdef void begin_step(self) noexcept
    cdef void step_back(self, double dt) noexcept
