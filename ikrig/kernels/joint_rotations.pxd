from ikrig.kernels.buffers cimport Doubles, doubles
from ikrig.kernels.limited_sweeps cimport LimitedSweepKernel
from ikrig.kernels.quat_ops cimport conj_mul, mul, rotate_vec, scale_rotation
from ikrig.kernels.rest_pose cimport measure, measured
from libc.math cimport atan2, cos, sin, sqrt


cdef class MultiEffectorKernel(LimitedSweepKernel):
    cdef Doubles rest_rot, mirror, rot, local, local_trs, animated_rot, frames
    cdef Doubles child_frame

    cpdef double set_from_locals(self) noexcept
    cpdef double bones_before(self, int e) noexcept
    cpdef void aim_rest_to_anim(self, int e) noexcept
    cpdef void swing(
        self, int e, int b, double px, double py, double pz, bint keep) noexcept
    cdef bint try_swing(
        self, int b, int j, bint keep, double half, double cx, double cy, double cz
    ) noexcept
    cdef bint set_swung_rotation(
        self, int j, double side, double half, double cx, double cy, double cz) noexcept
    cpdef void blend(self, double fraction) noexcept
    cpdef void write(self) noexcept
