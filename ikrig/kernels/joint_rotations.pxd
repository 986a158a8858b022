from ikrig.kernels.limited_sweeps cimport SweepKernel


cdef class SkeletonKernel(SweepKernel):
    cdef double *rest_rot
    cdef double *mirror
    cdef double *rot
    cdef double *local
    cdef double *given
    cdef double *given_rot
    cdef double *frames
    cdef double *inside

    cpdef double take_locals(self) noexcept
    cpdef void aim_posed(self, int e) noexcept
    cpdef void blend(self, double share) noexcept
    cpdef void write(self) noexcept
