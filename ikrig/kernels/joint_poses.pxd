from ikrig.kernels.quat_ops cimport data, hold, index

cdef class JointPoseKernel:
    cdef public int n
    cdef object _held
    cdef int *parent
    cdef double *local_pos
    cdef double *q
    cdef double *rotations
    cdef double *joint_pos

    cdef void set_poses(self) noexcept


cdef void _set_poses(
    long n, int *parent, double *local_pos, double *q, double *rot,
    double *pos) noexcept
cdef void set_axes(
    long n, int *parent, long first, double *axis, double *rot, double *out,
    long o) noexcept
cdef void set_bodies(
    long n, int *carrier, double *pos, double *quat, int *turned, double *rot,
    double *joint_pos, double *xpos, double *xquat, double *xmat, long o) noexcept
cdef void set_frames(
    long n, int *body, long first, double *pos, double *quat, int *turned,
    double *xpos, double *xquat, double *xmat, double *work, double *out, double *mat,
    long o) noexcept
cdef void set_columns(
    double *out, long o, long row, long column, double *axis, long i, long part,
    long following, long n, bint slides, double x, double y, double z, double place,
    double turn) noexcept
cdef void _product(
    double *out, long o, double *p, long i, double *q, long j) noexcept
cdef void _rotate(double *out, long o, double *q, long i, double *v, long j) noexcept
cdef void _carry(
    double *out, long o, double *pos, long i, double *mat, long m, double *v,
    long j) noexcept
cdef void _matrix(double *out, long o, double *q, long i) noexcept
