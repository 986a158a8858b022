from ikrig.kernels.vectors cimport between, norm3, put, rotated
from ikrig.kernels.chain cimport ChainKernel
from ikrig.kernels.quat_ops cimport from_to

cdef double CREEP


cdef class CcdKernel(ChainKernel):
    cdef int iterate(self) noexcept nogil
    cdef void sweep(self) noexcept nogil
