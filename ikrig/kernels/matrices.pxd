from ikrig.kernels.vectors cimport cross, inverse_root, less, norm3, put, three
from ikrig.kernels.buffers cimport Doubles, Floats, doubles, floats
from libc.math cimport sqrt

cpdef double decompose_trs(int n, object mats, object local_trs) except? -1.0
cdef double decompose(int n, Floats mats, Doubles local_trs) noexcept nogil
cdef double compose(
    int n, Floats mats, Doubles local_trs, Doubles local, double lengthening) noexcept nogil
cdef void read_rows(Doubles out, long o, Floats mats, long m) noexcept nogil
cdef void from_axes(
    Doubles out, long o, double rx, double ry, double rz, double fx, double fy,
    double fz, double ux, double uy, double uz) noexcept nogil
cdef void from_rows(Doubles out, long o, Doubles axes, long a) noexcept nogil
cdef void square_up(Doubles axes, long o) noexcept nogil
cdef double adjugate(Doubles m, long i, Doubles out, long o) noexcept nogil
cdef void set_identity(Doubles axes, long o) noexcept nogil
