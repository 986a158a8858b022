from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.crowd cimport LOOK, CrowdLayer
from ikrig.kernels.crowd_layers cimport CrowdPlaces
from ikrig.kernels.gaze_look cimport STATE, LookKernel
from ikrig.kernels.matrices cimport adjugate
from ikrig.kernels.vectors cimport by_rows, moved
from ikrig.kernels.pose cimport AHEAD, PoseKernel


cdef class CrowdCarry(CrowdLayer):
    cdef PoseKernel figure
    cdef object _pinned
    cdef Ints joint, path
    cdef int count, length
    cdef Doubles work
    cdef bint last

    cdef void apply(self, int i, double dt) noexcept nogil
    cdef void compose(self, int o) noexcept nogil
    cdef void follow(self) noexcept nogil


cdef class CrowdLook(CrowdPlaces):
    cdef LookKernel kernel
    cdef object _goals
    cdef Doubles target, weight, state
    cdef double seconds, speed

    cdef bint is_sound(self, int i) noexcept nogil
    cdef void lean(self, int i) noexcept nogil
    cdef void apply(self, int i, double dt) noexcept nogil


cdef class CrowdLean(CrowdLayer):
    cdef CrowdLook look

    cdef void apply(self, int i, double dt) noexcept nogil
