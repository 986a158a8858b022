from ikrig.kernels.quat_ops cimport data

cdef double CLOSE

cpdef void ease(int n, beziers, x)
