from ikrig.kernels.buffers cimport Doubles, Floats, Ints, doubles, floats, ints, pin
from ikrig.kernels.crowd cimport WARPS
from ikrig.kernels.crowd_layers cimport CrowdPlaces
from ikrig.kernels.feet cimport Feet
from ikrig.kernels.foot cimport Foot
from ikrig.kernels.stride cimport StrideKernel
from ikrig.kernels.walk cimport TurnKernel, WalkKernel

cdef double AWAY


cdef class CrowdWarps(CrowdPlaces):
    cdef WalkKernel walk
    cdef TurnKernel slope, turn
    cdef StrideKernel stride
    cdef object _buffers
    cdef int count
    cdef Doubles weight, settings, above, clock, seen, angles, factors
    cdef Floats world
    cdef Ints places

    cdef bint is_sound(self, int i) noexcept nogil
    cdef void apply(self, int i, double dt) noexcept nogil
    cdef void reset(self, int i) noexcept nogil
    cdef void set_world(self, int i) noexcept nogil
    cdef void tell(self, int i, Feet feet) noexcept nogil
