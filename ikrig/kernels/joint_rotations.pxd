from ikrig.kernels.quat_ops cimport conj_mul, data, mul, rotate_vec, scale_rotation
from ikrig.kernels.rest_pose cimport measure, measured
from libc.math cimport atan2, cos, sin, sqrt
from ikrig.kernels.limited_sweeps cimport LimitedSweepKernel


cdef class MultiEffectorKernel(LimitedSweepKernel):
    cdef double *rest_rot
    cdef double *mirror
    cdef double *rot
    cdef double *local
    cdef double *local_trs
    cdef double *animated_rot
    cdef double *frames
    cdef double *child_frame

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
