from libc.math cimport exp

cdef double SETTLED, GONE


cdef class SpringDamper:
    cdef public double value, goal, speed

    cpdef void reset(self, double value) noexcept
    cpdef void shift(self, double direction) noexcept
    cpdef void step(self, double goal, double seconds, double dt) noexcept
