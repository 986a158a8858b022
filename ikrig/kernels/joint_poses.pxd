from ikrig.kernels.vectors cimport add3, copy
from ikrig.kernels.buffers cimport Doubles, Ints

cdef void set_poses(
    long n, Ints parent, Doubles local_pos, Doubles q, Doubles rot,
    Doubles pos) noexcept
cdef void set_axes(
    long n, Ints parent, long first, Doubles axis, Doubles rot, Doubles out,
    long o) noexcept
cdef void set_bodies(
    long n, Ints carrier, Doubles pos, Doubles quat, Ints turned, Doubles rot,
    Doubles joint_pos, Doubles xpos, Doubles xquat, Doubles xmat, long o) noexcept
cdef void set_frames(
    long n, Ints body, long first, Doubles pos, Doubles quat, Ints turned,
    Doubles xpos, Doubles xquat, Doubles xmat, Doubles work, Doubles out, Doubles mat,
    long o) noexcept
cdef void write_columns(
    Doubles out, long o, long row, long column, Doubles axis, long i, long part,
    long following, long n, bint slides, double x, double y, double z,
    double position_weight, double rotation_weight) noexcept
cdef void _product(
    Doubles out, long o, Doubles p, long i, Doubles q, long j) noexcept
cdef void _rotate(Doubles out, long o, Doubles q, long i, Doubles v, long j) noexcept
cdef void _carry(
    Doubles out, long o, Doubles pos, long i, Doubles mat, long m, Doubles v,
    long j) noexcept
cdef void _matrix(Doubles out, long o, Doubles q, long i) noexcept
