from libc.math cimport sqrt
from ikrig.kernels.chain_frame cimport ChainFrameKernel


cdef class FabrikKernel(ChainFrameKernel):
    cdef void sweep(self) noexcept
