from ikrig.kernels.chain cimport ChainKernel


cdef class FabrikKernel(ChainKernel):
    cdef void sweep(self) noexcept
