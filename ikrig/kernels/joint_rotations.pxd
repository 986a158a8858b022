from ikrig.kernels.branch_bends cimport BranchKernel
from ikrig.kernels.buffers cimport Doubles, doubles
from ikrig.kernels.quat_ops cimport conj_mul, mul, rotate_vec, scale_rotation
from ikrig.kernels.rest_pose cimport measure, measured
from libc.math cimport sqrt


cdef class MultiEffectorKernel(BranchKernel):
    cdef Doubles rest_rot, mirror, rot, local, local_trs, animated_rot, frames
    cdef Doubles child_frame

    cpdef double set_from_locals(self) noexcept
    cpdef double bones_before(self, int e) noexcept
    cpdef void aim_rest_to_anim(self, int e) noexcept
    cpdef void blend(self, double fraction) noexcept
    cpdef void write(self) noexcept
