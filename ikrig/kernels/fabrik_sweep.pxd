from ikrig.kernels.chain_frame cimport ChainFrameKernel
from libc.math cimport sqrt


cdef class FabrikKernel(ChainFrameKernel):
    cdef void sweep(self) noexcept nogil
