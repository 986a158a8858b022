from ikrig.kernels.dls cimport DlsKernel


cdef class SweepKernel(DlsKernel):
    cdef double *goals

    cpdef void turn_leaf(self, int use_tip) noexcept
    cpdef int sweep_fabrik(
        self, int iterations, double tolerance, double turn_tolerance) noexcept
    cdef void backward(self) noexcept
    cdef void forward_pass(self) noexcept
    cpdef int sweep_ccd(
        self, int iterations, double tolerance, double turn_tolerance) noexcept
    cdef void turn_ball(self, int j) noexcept
    cdef void turn_hinges(self, int j) noexcept
