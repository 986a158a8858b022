from ikrig.kernels.buffers cimport Doubles, Floats, Ints, doubles, floats, ints
from ikrig.kernels.vectors cimport cross, less, norm3, three


cdef class ClipBlend:
    cdef int count
    cdef object _held
    cdef Ints joint
    cdef Doubles total
    cdef Floats rest, mats

    cpdef void add(self, const float[::1] row, double weight, bint first)
    cpdef void rest_all(self) noexcept
    cpdef void finish(self, bint linear) noexcept


cdef void blend_joint(Doubles total, long t, double net, Floats mats, long m) noexcept nogil
