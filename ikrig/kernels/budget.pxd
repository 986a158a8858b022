from ikrig.kernels.buffers cimport Doubles, Floats, Ints, doubles, floats, ints, pin
from ikrig.kernels.pose cimport PoseKernel
from libc.math cimport sqrt

cdef double CATCH_UP, LATE, SHORTEST


cdef class Easing:
    cdef public double behind
    cdef PoseKernel figure
    cdef list joints
    cdef object _pinned, _numbers
    cdef double span
    cdef int count, size
    cdef Floats shown, aim
    cdef Ints number

    cpdef bint use(self, PoseKernel figure) except -1
    cpdef int write(self, list joints) except -1
    cpdef bint solved(
        self, PoseKernel figure, list joints, double waited, double dt) except -1
    cpdef bint show(self, double dt) except -1


cdef class Turns:
    cdef list easings
    cdef object _pinned
    cdef readonly int n, count
    cdef readonly double held, saved
    cdef Doubles cost
    cdef Ints runs, moves, order

    cpdef int choose(
        self, double left, double first, double move, double dt, double usual,
        double forget) except -1
    cdef int next(self) except -1
    cdef bint is_behind(self, int i) except -1
