from ikrig.kernels.chain cimport ChainKernel


cdef class CcdKernel(ChainKernel):
    cdef void sweep(self) noexcept
