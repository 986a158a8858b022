from ikrig.kernels.quat_ops cimport from_to, rotate_vec
from libc.math cimport sqrt
from ikrig.kernels.chain_frame cimport ChainFrameKernel


cdef class CcdKernel(ChainFrameKernel):
    cdef void sweep(self) noexcept
