from ikrig.kernels.chain_frame cimport ChainKernel


cdef class CcdKernel(ChainKernel):
    cdef void sweep(self) noexcept
