from ikrig.kernels.spring_damper cimport SpringDamper

cdef double FASTEST


cdef class PelvisKernel:
    cdef public list feet
    cdef public SpringDamper height
    cdef public double up, x, y
    cdef public int known

    cpdef void reset(self)
    cpdef void follow(self, double x, double y, double seconds, double dt)
