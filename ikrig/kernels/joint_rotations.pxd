from ikrig.kernels.limited_sweeps cimport LimitedSweepKernel


cdef class MultiEffectorKernel(LimitedSweepKernel):
    cdef double *rest_rot
    cdef double *mirror
    cdef double *rot
    cdef double *local
    cdef double *local_trs
    cdef double *animated_rot
    cdef double *frames
    cdef double *child_frame

    cpdef double take_locals(self) noexcept
    cpdef void aim_rest_to_anim(self, int e) noexcept
    cpdef void blend(self, double fraction) noexcept
    cpdef void write(self) noexcept
