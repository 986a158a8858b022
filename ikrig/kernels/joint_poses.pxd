from ikrig.kernels.vectors cimport add3, copy, multiply, put, rotated, three
from ikrig.kernels.buffers cimport Doubles, Ints

cdef void set_poses(
    long n, Ints parent, Doubles local_pos, Doubles q, Doubles rot,
    Doubles pos) noexcept
cdef void write_columns(
    Doubles out, long o, long row, long column, Doubles axis, long i, long part,
    long following, long n, bint slides, double x, double y, double z,
    double position_weight, double rotation_weight) noexcept
