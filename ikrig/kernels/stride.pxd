from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.pose cimport PoseKernel
from ikrig.kernels.quat_ops cimport mul, rotate_vec
from libc.math cimport acos, atan2, cos, exp, sin, sqrt

cdef int LEG, STATE
cdef double STRAIGHT, STRAIGHTEST, PEEL, LOWEST, FREE, EASE, BEHIND, STEEP, SWINGS, PI


cdef class StrideKernel:
    cdef PoseKernel figure
    cdef object _pinned
    cdef int count
    cdef Ints joints, places
    cdef Doubles shape, goals, frame, leads, state

    cpdef double lead(
        self, double x, double y, double z, double more, double flat) except? -1.0
    cdef void pitch(self, int s, double angle) noexcept
    cpdef object back(self, int leg, double weight)
    cdef void turn(self, int s, double angle) noexcept
    cdef double within(
        self, int s, double x, double y, double z, double wanted) noexcept
    cdef double missing(self, int s) noexcept
    cdef double drop_for(self, int s, double x, double y, double z) noexcept
    cdef double peel(self, int s, double drop, double most) noexcept
    cpdef int place(self, double drop) except -1
