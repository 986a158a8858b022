cimport cython
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.feet cimport Feet

cdef int PLAN, SWINGS, CLIP, PLAYED
cdef double MOST, SWUNG, STILL, STOPS, SOUND, CREEPS, STEADY, MEAN_SECONDS


@cython.final
cdef class ClipPlans:
    cdef object _pinned
    cdef int count
    cdef Doubles clips, plans, time, weight, played
    cdef Ints clip

    cpdef int tell(self, Feet feet, int i, int slots, double dt) noexcept nogil
    cdef double measure(self, int i, int lead, double dt) noexcept nogil
    cdef int row(self, int s, int f, int back) noexcept nogil
    cdef double past(self, int s, int back) noexcept nogil
    cdef int walks(self, int s) noexcept nogil
    cdef int plan(
        self, Feet feet, int f, int first, int last, double pace, int back,
        double slowing, int steady) noexcept nogil
