from ikrig.kernels.buffers cimport Doubles, Floats, doubles, floats, pin
from ikrig.kernels.crowd cimport SPRINGS
from ikrig.kernels.crowd_layers cimport CrowdPlaces
from ikrig.kernels.springs cimport IS_SET, SpringKernel

cdef double AWAY


cdef class CrowdSprings(CrowdPlaces):
    cdef SpringKernel kernel
    cdef object _goals
    cdef Floats given
    cdef Doubles space, weight, state, above, wind, clock
    cdef int size_of_state

    cdef bint is_sound(self, int i) noexcept nogil
    cdef void apply(self, int i, double dt) noexcept nogil
    cdef void set_space(self, int i) noexcept nogil
