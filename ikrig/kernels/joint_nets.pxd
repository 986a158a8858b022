from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.quat_ops cimport from_to, scale_rotation
from libc.math cimport sqrt


cdef class JointNets:
    cdef readonly list nodes
    cdef readonly int n
    cdef object make, mats, _pinned
    cdef float[::1] numbers
    cdef Ints parent, mark
    cdef Doubles net

    cpdef int read(self) except -1
    cdef void follow(self, int j) noexcept
    cpdef void rotate(self, int j, double w, double x, double y, double z) noexcept
    cpdef int write(self) except -1
    cpdef tuple place(self, int j)


cdef void part_from_to(
    Doubles out, int o, double ax, double ay, double az, double bx, double by,
    double bz, double part) noexcept
