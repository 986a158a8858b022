cimport cython
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.clip_paces cimport PACE_SECONDS, PACED, follow_clips
from ikrig.kernels.feet cimport Feet
from libc.math cimport sqrt

cdef int PLAN, SWINGS, CLIP
cdef double MOST, SWUNG, STILL, STOPS, SOUND, CREEPS, STEADY


@cython.final
cdef class ClipPlans:
    cdef object _pinned
    cdef int count
    cdef Doubles clips, plans, time, weight, paced
    cdef Ints clip

    cpdef int tell(self, Feet feet, int i, int slots, double dt) noexcept nogil
    cdef int row(self, int s, int f, int back) noexcept nogil
    cdef double past(self, int s, int back) noexcept nogil
    cdef int walks(self, int s) noexcept nogil
    cdef int plan(
        self, Feet feet, int f, int first, int last, double pace, int back,
        double slowing, int steady) noexcept nogil


cdef double seconds_for(double far, double pace, double gains) noexcept nogil
cdef bint stops_in(double seconds, double pace, double slowing) noexcept nogil
