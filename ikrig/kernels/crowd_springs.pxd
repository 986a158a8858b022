from ikrig.kernels.buffers cimport Doubles, Floats, doubles, floats, pin
from ikrig.kernels.crowd cimport SPRINGS
from ikrig.kernels.crowd_layers cimport CrowdState
from ikrig.kernels.springs cimport IS_SET, SpringKernel
from ikrig.kernels.vectors cimport three


cdef class CrowdSprings(CrowdState):
    cdef SpringKernel kernel
    cdef object _given
    cdef Floats given, world
    cdef Doubles space, above, wind

    cdef void reset(self, int i, long o) noexcept nogil
    cdef void act(self, int i, long o, double weight, double dt) noexcept nogil
