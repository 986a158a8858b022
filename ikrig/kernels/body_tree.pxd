cimport cython
from libc.math cimport sqrt
from ikrig.kernels.body_goals cimport (
    ANGLES, HAD, LOCAL, NOW, PLACE, ROTATION, BodyGoals)
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.quat_ops cimport (
    conj_mul, log_rotation, mul, rotate_back, rotate_row, rotate_vec,
    rotation_vector)
from ikrig.kernels.vectors cimport add_to, between, copy, cross, put

cdef int SHAPE, STIFFNESS, MIDDLE, LIMITS
cdef int TREE, FORCE, COLUMNS, PRODUCTS, INVERSE, PULL
cdef double LIMIT_STIFFNESS, LARGEST_STEP, SOFT, STIFFER


@cython.final
cdef class BodyTree:
    cdef object _pinned
    cdef BodyGoals goals
    cdef int count
    cdef Ints above
    cdef Doubles shape, now, tree, work

    cdef void clear(self) noexcept nogil
    cdef void add_turn(
        self, int k, double turn, double x, double y, double z) noexcept nogil
    cdef void add_pull(
        self, int k, double place, double dx, double dy, double dz) noexcept nogil
    cdef void find_shift(self, double size) noexcept nogil
    cdef double balance(self, double size, double lag, double caution) noexcept nogil
    cdef void eliminate(self, int k, double lag, double caution) noexcept nogil
    cdef void measure(self, int out, int k, int q) noexcept nogil
    cdef void deviate(self, Doubles out, int at, int k) noexcept nogil
    cdef void invert(self, int o, int row) noexcept nogil


cdef void product(
    Doubles m, long i, Doubles v, long j, Doubles out, long o) noexcept nogil
