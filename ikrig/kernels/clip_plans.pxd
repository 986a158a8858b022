from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.feet cimport Feet

cdef int PLAN, SWINGS, CLIP, PLAYED
cdef double MOST, STILL, SOUND, MEAN_SECONDS


cdef class ClipPlans:
    cdef object _pinned
    cdef int count
    cdef Doubles clips, plans, time, weight, played
    cdef Ints clip

    cpdef int tell(self, Feet feet, int i, int slots, double dt) except -1
