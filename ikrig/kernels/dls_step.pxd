from ikrig.kernels.jacobian cimport JacobianKernel
from ikrig.kernels.quat_ops cimport mul, rotate_vec, rotation_vector
from ikrig.kernels.segments cimport eliminate, linearise_segments, predict, substitute
from libc.math cimport sqrt

cdef double AHEAD, BENT, SLACK
cdef int PASSES, RELEASES


cdef class DlsStepKernel(JacobianKernel):
    cdef double damping

    cpdef void prepare_step(self) noexcept
    cpdef void damped_step(self, double damping) noexcept
    cdef void accelerate(self, double longest) noexcept
    cpdef double longest_rotation(self) noexcept
    cpdef void advance(self, double factor) noexcept
