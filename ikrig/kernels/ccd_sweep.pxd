from ikrig.kernels.chain_frame cimport ChainFrameKernel


cdef class CcdKernel(ChainFrameKernel):
    cdef void sweep(self) noexcept
