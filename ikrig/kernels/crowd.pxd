from ikrig.kernels.buffers cimport Doubles, Floats, Ints, doubles, floats, ints, pin
from ikrig.kernels.clip_blend cimport blend_joint
from ikrig.kernels.pose cimport PoseKernel
from libc.math cimport cos, floor, sin, sqrt, sqrtf

cdef int SLOTS, NUMBERS, PLAIN
cdef float FLAT
cdef double LARGEST


cdef class CrowdLayer:
    cdef public CrowdLayer next

    cdef bint is_sound(self, int i) noexcept nogil
    cdef void apply(self, int i, double dt) noexcept nogil


cdef class CrowdKernel:
    cdef PoseKernel figure
    cdef int n, lanes, width, skin_count
    cdef bint plain
    cdef double margin
    cdef object _pinned
    cdef public CrowdLayer first
    cdef Floats mats, total, nets, rows, scale, unbind
    cdef Floats palette, joint_place, sphere
    cdef Doubles one, clip_fps, space, position, heading, facing, size, time, speed, weight, rate
    cdef Ints clip_first, clip_frames, skinned, clip, top, bad

    cpdef int run(self, object order, int first, int last, double dt) except -1
    cdef void pose(self, int i, double dt) noexcept nogil
    cdef void advance(self, int i, double dt) noexcept nogil
    cdef void sample(self, int i) noexcept nogil
    cdef void square_up(self, int i, double weights) noexcept nogil
    cdef void blend_one(self, int i, int j) noexcept nogil
    cdef void write(self, int i) noexcept nogil


cdef void compose(Floats nets, long o, Floats mats, long m, long p) noexcept nogil
cdef void unbind(Floats out, long e, Floats inverse, long b, Floats nets, long o) noexcept nogil
