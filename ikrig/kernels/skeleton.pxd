from ikrig.kernels.sweeps cimport SweepKernel


cdef class SkeletonKernel(SweepKernel):
    cdef double *rest_rot
    cdef double *mirror
    cdef double *rot
    cdef double *local

    cpdef void write(self) noexcept
