from ikrig.kernels.quat_ops cimport conj_mul, data, hold, index, mul, rotate_vec
from libc.math cimport sqrt

cdef double LEAST, MOST

cdef double measure(
    int n, int *parent, double *local_trs, double *points, double *rotations, double *frames,
    double *child_frame) noexcept
cpdef int find_bend(object points, double straight, object out) except -1
cdef double _distance(double *pos, int i, int j) noexcept
cdef double bend_off(
    int n, double *pos, double cx, double cy, double cz, double least, double *out,
    int o) noexcept
cdef int measured(int n, double *points, double *rotations, double *frames) noexcept


cdef class RestPoseKernel:
    cdef public int n, longest, tipped, rigid
    cdef public double tip_x, tip_y, tip_z
    cdef public double reach, dead_zone
    cdef public double side_x, side_y, side_z, straight
    cdef object _held
    cdef int *parent
    cdef double *local_trs
    cdef double *points
    cdef double *frames
    cdef double *child_frame
    cdef double *length
    cdef double *rest
    cdef double *rest_dir
    cdef double *rest_rot
    cdef double *mirror
    cdef double *frame
    cdef double *tip_offset

    cpdef void set_tip(self, double x, double y, double z) noexcept
    cpdef void set_rigid(self, int rigid) noexcept
    cdef void move_end(self, double k) noexcept
    cpdef double set_from_locals(self) noexcept
    cpdef void set_rest(self) noexcept
    cdef void find_chord(self, double *pos, double *out) noexcept
