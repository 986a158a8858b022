from ikrig.kernels.buffers cimport Doubles, Floats, Ints, doubles, floats, ints
from ikrig.kernels.crowd cimport WARPS
from ikrig.kernels.crowd_layers cimport CrowdState
from ikrig.kernels.feet cimport Feet
from ikrig.kernels.foot cimport Foot
from ikrig.kernels.stride cimport StrideKernel
from ikrig.kernels.walk cimport TurnKernel, WalkKernel


cdef class CrowdWarps(CrowdState):
    cdef WalkKernel walk
    cdef TurnKernel slope, turn
    cdef StrideKernel stride
    cdef int count
    cdef Doubles settings, above, angles, factors
    cdef Floats world
    cdef Ints places

    cdef void reset(self, int i, long o) noexcept nogil
    cdef void act(self, int i, long o, double weight, double dt) noexcept nogil
    cdef void tell(self, int i, Feet feet) noexcept nogil
