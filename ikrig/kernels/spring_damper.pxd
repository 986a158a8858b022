cimport cython
from libc.math cimport exp, sqrt

cdef double SETTLED, GONE, STEP
cdef int STEPS


@cython.final
cdef class Spring:
    cdef public double value, speed
    # what is left of a push after a step of this length
    cdef double seconds, dt, left

    cpdef void reset(self, double value) noexcept nogil
    cpdef void step(self, double goal, double seconds, double dt) noexcept nogil


@cython.final
cdef class SpeedLimitedSpring:
    cdef readonly Spring along, aside

    cpdef void reset(self, double x, double y) noexcept nogil
    cpdef void step(
        self, double x, double y, double seconds, double most, double dt) noexcept nogil


@cython.final
cdef class SpringDamper:
    cdef public double value, goal, speed
    # as a ``Spring``'s
    cdef double seconds, dt, left

    cpdef void reset(self, double value) noexcept nogil
    cpdef void shift(self, double direction) noexcept nogil
    cpdef void step(self, double goal, double seconds, double dt) noexcept nogil
