from ikrig.kernels.chain_frame cimport ChainKernel


cdef class FabrikKernel(ChainKernel):
    cdef void sweep(self) noexcept
