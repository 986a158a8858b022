cimport cython
from libc.math cimport sqrt


@cython.final
cdef class FootPlan:
    cdef public int state
    cdef public double left, end, whole, x, y, half, way_x, way_y, turn
    cdef public double lock, lock_distance, foot_seconds, release_seconds, look_ahead

    cpdef void reset(self) noexcept nogil
    cdef double clip_speed(self) noexcept nogil
