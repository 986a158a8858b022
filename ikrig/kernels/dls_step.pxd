from ikrig.kernels.jacobian cimport JacobianKernel


cdef class DlsStepKernel(JacobianKernel):
    cpdef void damped_step(self, double damping) noexcept
    cdef void cholesky(self) noexcept
    cpdef double longest_rotation(self) noexcept
    cpdef void advance(self, double factor) noexcept
