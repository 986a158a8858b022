from ikrig.kernels.jacobian cimport JacobianKernel


cdef class StepKernel(JacobianKernel):
    cpdef void damped_step(self, double damping) noexcept
    cdef void cholesky(self) noexcept
    cpdef double longest_turn(self) noexcept
    cpdef void advance(self, double factor) noexcept
