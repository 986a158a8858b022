from ikrig.kernels.joint_fk cimport JointFkKernel

cdef double FAR


cdef class JacobianKernel(JointFkKernel):
    cdef public int e, rows
    cdef public double error, orientation_error
    cdef int *effector
    cdef int *held
    cdef double *tool
    cdef double *goal
    cdef double *goal_rot
    cdef double *weights
    cdef double *residual
    cdef double *jacobian
    cdef double *normal
    cdef double *gradient
    cdef double *step
    cdef double *low
    cdef double *high
    cdef double *columns
    cdef double *solved
    cdef double *tips

    cpdef double measure(self) noexcept
    cdef void set_columns(self) noexcept
    cdef void set_cone_columns(self, int j) noexcept
    cdef void set_ranged_columns(self, int j) noexcept
    cdef void couple_columns(self) noexcept
    cdef int slides_at(self, int k) noexcept
    cpdef void linearise(self) noexcept
