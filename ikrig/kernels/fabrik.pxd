from ikrig.kernels.chain cimport ChainKernel


cdef class FabrikKernel(ChainKernel):
    cdef int iterate(self) noexcept
