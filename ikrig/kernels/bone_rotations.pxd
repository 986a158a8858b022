from ikrig.kernels.rest_pose cimport RestKernel


cdef class PoseKernel(RestKernel):
    cdef public int roll_from_parent, swing, slides
    cdef public double weight, max_step, twist_spread, lengthening
    cdef double *pos
    cdef double *old
    cdef double *places
    cdef double *dir
    cdef double *swung
    cdef double *delta
    cdef double *wanted
    cdef double *tip
    cdef double *rot
    cdef double *local
    cdef double *scratch
    # the start pose as seen from the one that limits count from
    cdef double *limit_rot
    cdef double *posed
    cdef double *goal_turn

    cpdef void turn(self, int use_tip) noexcept
    cdef void spread_twist(self) noexcept
    cdef int hold_back(self, double dt) noexcept
    cpdef void write(self) noexcept
    cpdef void find_posed(self) noexcept
    cpdef void aim_leaf(self, int limited) noexcept
    cpdef void to_limits(self) noexcept
    cpdef void from_limits(self) noexcept
    cdef void over(self, double *out, double *a, double *b, int j) noexcept
