from libc.math cimport sqrt


cdef class ClipBlend:
    cdef int count
    cdef double[::1] total
    cdef const float[::1] defaults
    cdef float[::1] mats

    cpdef void add(self, const float[::1] row, double weight, bint first)
    cpdef void finish(self) noexcept
