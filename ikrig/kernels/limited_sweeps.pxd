from ikrig.kernels.quat_ops cimport conj_mul, data, from_to, index, mul, rotate_vec
from libc.math cimport atan2, sqrt
from ikrig.kernels.dls_posture cimport DlsPostureKernel

cdef double SLOW


cdef class LimitedSweepKernel(DlsPostureKernel):
    cdef double *goals
    cdef double *pull
    cdef double *mean
    cdef int *first_child
    cdef int *effector_at
    cdef int *next_child

    cpdef void rotate_leaf(self, int e, int use_tip) noexcept
    cpdef int sweep_fabrik(
        self, int iterations, double tolerance, double orientation_tolerance) noexcept
    cdef void backward_pass(self) noexcept
    cdef void forward_pass(self) noexcept
    cdef void point(self, int j, int k) noexcept
    cdef void propose(self, int j, double fraction, double *q, int o) noexcept
    cdef int apply_mean(self, int j) noexcept
    cdef void slide(self, int j) noexcept
    cpdef int sweep_ccd(
        self, int iterations, double tolerance, double orientation_tolerance) noexcept
    cdef void rotate_ball(self, int j) noexcept
    cdef void slide_tip_to_goal(self, int j) noexcept
    cdef void rotate_hinges(self, int j) noexcept
