from ikrig.kernels.dls_step cimport StepKernel


cdef class DlsKernel(StepKernel):
    cdef public double seed
    cdef public int stuck, tried, uncounted
    cdef double *first_value
    cdef double *first_q
    cdef double *last_goal
    cdef double *last_turn

    cpdef double goal_change(self) noexcept
    cpdef int descend(
        self, int iterations, double tolerance, double turn_tolerance,
        double fine, double patience) noexcept
    cpdef int search(
        self, int iterations, double tolerance, double turn_tolerance, double fine,
        int restarts) noexcept
    cpdef int reached(self, double tolerance, double turn_tolerance) noexcept
    cdef double random(self) noexcept
    cdef void scatter_pose(self) noexcept
