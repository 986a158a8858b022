from ikrig.kernels.buffers cimport Doubles
from libc.math cimport cos, sin

cdef double MANY_TURNS, WHOLE

cdef void sin_cos(Doubles out, long o, double x, double y) noexcept nogil
cdef void angles_of(
    Doubles out, long o, double y, double x, double v, double u) noexcept nogil
cdef void cosine_sine(Doubles angle, Doubles sine, int n) noexcept
