from ikrig.kernels.buffers cimport Ints, ints, pin
from libc.math cimport sqrt


cdef class ClipBlend:
    cdef int count
    cdef object _pinned
    cdef Ints joint
    cdef double[::1] total
    cdef const float[::1] rest
    cdef float[::1] mats

    cpdef void add(self, const float[::1] row, double weight, bint first)
    cpdef void rest_all(self) noexcept
    cpdef void finish(self, bint linear) noexcept
