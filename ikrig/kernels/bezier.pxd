from ikrig.kernels.buffers cimport doubles

cdef double CLOSE

cpdef void ease(int n, beziers, x)
