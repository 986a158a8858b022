from ikrig.kernels.vectors cimport norm3, put
from ikrig.kernels.chain cimport ChainKernel


cdef class FabrikKernel(ChainKernel):
    cdef void sweep(self) noexcept nogil
