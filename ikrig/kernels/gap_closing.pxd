from ikrig.kernels.vectors cimport less, norm3, put
from ikrig.kernels.buffers cimport Doubles
from libc.math cimport sqrt

cdef double close_gap_bend(
    Doubles d, Doubles length, int n, int skip, double gx, double gy, double gz,
    double reach, double bx, double by, double bz) noexcept nogil

cdef double two_bone_close(
    Doubles d, Doubles length, int n, int pick, double gx, double gy, double gz,
    double reach, double bx, double by, double bz) noexcept nogil
