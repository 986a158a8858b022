cimport cython
from libc.math cimport acos, cos, sin, sqrt
from ikrig.kernels.body_goals cimport (
    ANGLES, EXACT, FOUND, GOAL, HAD, KEPT, LAST, LOCAL, MISSED, NOW, OFFSET, PLACE,
    POLE, POLED, REACHING, ROTATION, START, STARTED, STRENGTH, TURN, TURN_WEIGHT,
    WEIGHT, BodyGoals)
from ikrig.kernels.body_pace cimport STATE, BodyPace
from ikrig.kernels.body_tree cimport SHAPE, TREE, BodyTree
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.matrices cimport from_rows, square_up
from ikrig.kernels.pose cimport PoseKernel
from ikrig.kernels.quat_ops cimport (
    conj_mul, from_to, log_rotation, mul, mul_conj, rotate_back, rotate_row,
    rotate_vec, rotation_vector, scale_rotation)
from ikrig.kernels.vectors cimport (
    add3, between, copy, cross, distance, less, norm3, put, three)

cdef double FIT_PLACE, FIT_TURN, EXACT_TURN
cdef double STRIDE, YIELD, POLE_PLACE, LEAN, UPSIDE
cdef double BACKWARDS, FOLDED, LAG, STRAIGHT


@cython.final
cdef class BodyKernel:
    cdef PoseKernel figure
    cdef object _pinned
    cdef readonly BodyGoals goals
    cdef BodyPace pace
    cdef readonly int count, iterations, size_of_state
    cdef public int lock, head, is_warm
    cdef double caution, lag
    cdef Ints joint, above, end, limb, carrier
    cdef BodyTree tree
    cdef Doubles shape, settings, state, now, goal, work

    cpdef void reset(self) noexcept nogil
    cpdef bint read(self) noexcept nogil
    cdef void follow(self, int first, int after) noexcept nogil
    cdef void turn(self, int k, int q) noexcept nogil
    cdef void relate(self, int k) noexcept nogil
    cdef void add_goal(self, int g, double place, double turn) noexcept nogil
    cdef void add_pull(
        self, int k, double x, double y, double z, double place,
        double yields) noexcept nogil
    cdef void fit(self, int rounds) noexcept nogil
    cdef void start(self, bint still) noexcept nogil
    cpdef double solve(self, int rounds, double dt) noexcept nogil
    cdef void slow_down(self, double dt) noexcept nogil
    cdef double step(self) noexcept nogil
    cdef bint find_pole(self, int n) noexcept nogil
    cdef void close(self, bint exact) noexcept nogil
    cdef void finish(self, bint still) noexcept nogil
    cpdef void write(self, double part) noexcept nogil
    cpdef int resume(self, object states, long o) except -1
    cpdef int keep(self, object states, long o) except -1
    cdef void load(self, Doubles row, long o) noexcept nogil
    cdef void store(self, Doubles row, long o) noexcept nogil
