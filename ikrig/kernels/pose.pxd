cdef class PoseKernel:
    cdef public int n, roll_from_parent, slides
    cdef public double reach, weight, max_step, twist_spread, lengthening
    cdef object _buffers
    # the start pose
    cdef double *length
    cdef double *rest
    cdef double *rest_dir
    cdef double *rest_rot
    cdef double *mirror
    cdef double *frame
    # the pose
    cdef double *pos
    cdef double *old
    cdef double *places
    cdef double *dir
    cdef double *delta
    cdef double *wanted
    cdef double *tip
    cdef double *rot
    cdef double *local
    cdef double *scratch

    cpdef void turn(self, int use_tip) noexcept
    cdef void spread_twist(self) noexcept
    cdef int hold_back(self, double dt) noexcept
    cpdef void write(self) noexcept
