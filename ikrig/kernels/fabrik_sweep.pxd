from ikrig.kernels.vectors cimport put
from ikrig.kernels.chain cimport ChainKernel
from libc.math cimport sqrt


cdef class FabrikKernel(ChainKernel):
    cdef void sweep(self) noexcept nogil
