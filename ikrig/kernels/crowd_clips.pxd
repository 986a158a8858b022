from ikrig.kernels.buffers cimport Doubles, Floats, Ints, doubles, floats, ints, pin
from ikrig.kernels.clip_blend cimport blend_joint
from ikrig.kernels.pose cimport PoseKernel
from libc.math cimport floor, sqrtf

cdef int SLOTS, NUMBERS, PLAIN
cdef float FLAT


cdef class CrowdClips:
    cdef PoseKernel figure
    cdef int n, lanes, width
    cdef readonly int count
    cdef bint plain
    cdef object _pinned
    cdef Floats mats, total, rows, scale
    cdef Doubles one, clip_fps, time, speed, weight, rate
    cdef Ints clip_first, clip_frames, clip, top

    cdef void advance(self, int i, double dt) noexcept nogil
    cdef void sample(self, int i) noexcept nogil
    cdef bint mix(self, int i, Floats out, Floats rows, int size) noexcept nogil
    cdef void square_up(self, int i) noexcept nogil
    cdef void blend_one(self, int i, int j) noexcept nogil
