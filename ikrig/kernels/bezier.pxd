cdef double CLOSE

cpdef void ease(int n, const double[::1] beziers, double[::1] x) noexcept
