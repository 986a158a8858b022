cimport cython
from ikrig.kernels.buffers cimport Doubles, Ints
from libc.math cimport exp

cdef int PACED
cdef double PACE_SECONDS, BEGINS

cdef int follow_clips(
    Doubles paced, Ints clip, Doubles time, Doubles weight, Doubles clips, int size,
    int first, int last, double dt) noexcept nogil
cdef double frames_gone(double gone, double count, double usual) noexcept nogil
