from ikrig.kernels.vectors cimport cross, norm3, put, put4
from ikrig.kernels.buffers cimport Doubles
from libc.math cimport atan2, cos, sin, sqrt

cdef void from_to(
    Doubles out, int o,
    double ax, double ay, double az, double bx, double by, double bz) noexcept nogil
cdef void unit(Doubles out, long o, Doubles q, long i) noexcept nogil
cdef void mul(
    Doubles out, int o, Doubles a, int i, Doubles b, int j) noexcept nogil
cdef void conj_mul(
    Doubles out, int o, Doubles a, int i, Doubles b, int j) noexcept nogil
cdef void mul_conj(
    Doubles out, int o, Doubles a, int i, Doubles b, int j) noexcept nogil
cdef void _product(
    Doubles out, int o, double aw, double ax, double ay, double az,
    double bw, double bx, double by, double bz) noexcept nogil
cdef double scale_rotation(Doubles q, int o, double t, double limit) noexcept nogil
cdef void rotation_vector(Doubles out, int o, double x, double y, double z) noexcept nogil
cdef void about(
    Doubles out, int o, double half, double x, double y, double z) noexcept nogil
cdef double angle_of(Doubles q, int i) noexcept nogil
cdef double square_sum(Doubles q, int n) noexcept nogil
cdef double log_rotation(Doubles out, int o, Doubles q, int i) noexcept nogil
cdef void rotate_vec(
    Doubles out, int o, Doubles q, int i, double x, double y, double z) noexcept nogil
cdef void rotate_row(
    Doubles out, int o, Doubles q, int i, Doubles v, int j) noexcept nogil
cdef void rotate_back(
    Doubles out, int o, Doubles q, int i, double x, double y, double z) noexcept nogil
cdef void _rotate(
    Doubles out, int o, double w, double a, double b, double c, double x, double y,
    double z) noexcept nogil
