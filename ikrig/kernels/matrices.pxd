from ikrig.kernels.vectors cimport cross, inverse_root, less, put, three
from ikrig.kernels.buffers cimport Doubles
from libc.math cimport sqrt

cpdef double decompose_trs(int n, float[::1] mats, double[::1] local_trs) noexcept
cpdef double compose_trs(
    int n, float[::1] mats, double[::1] local_trs, const double[::1] local,
    double lengthening) noexcept
cdef void from_axes(
    Doubles out, long o, double rx, double ry, double rz, double fx, double fy,
    double fz, double ux, double uy, double uz) noexcept nogil
cdef void from_rows(Doubles out, long o, Doubles axes, long a) noexcept nogil
cdef void square_up(Doubles axes, long o) noexcept nogil
cdef double adjugate(Doubles m, long i, Doubles out, long o) noexcept nogil
cdef void set_identity(Doubles axes, long o) noexcept nogil
cdef Doubles _pointer(double[::1] values) noexcept
