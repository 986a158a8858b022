from ikrig.kernels.buffers cimport Doubles
from libc.math cimport cos, sin

cdef double MANY_TURNS, WHOLE

cdef void sin_cos(Doubles out, int o, double x, double y) noexcept nogil
cdef double angle_of(double y, double x) noexcept nogil
