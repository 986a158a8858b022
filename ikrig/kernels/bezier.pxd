cdef double CLOSE

cpdef void ease(int n, beziers, x)
