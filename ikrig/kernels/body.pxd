cimport cython
from ikrig.kernels.vectors cimport (
    add3, add_to, between, by_rows, copy, cross, distance, less, norm3, put, three)
from ikrig.kernels.body_tree cimport (
    ANGLES, FOUND, HAD, LOCAL, NOW, OFFSET, PLACE, ROTATION, SHAPE, START, STARTED,
    TREE, BodyTree)
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.matrices cimport adjugate, from_rows, square_up
from ikrig.kernels.node_frame cimport NodeReader
from ikrig.kernels.pose cimport PoseKernel
from ikrig.kernels.quat_ops cimport (
    conj_mul, from_to, log_rotation, mul, mul_conj, rotate_back, rotate_row, rotate_vec,
    rotation_vector, scale_rotation, unit)
from libc.math cimport acos, cos, sin, sqrt

cdef int STATE
cdef int LAST, MISSED, REACHING, KEPT, WORK
cdef int GOAL, TURN, WEIGHT, TURN_WEIGHT, STRENGTH, POLE, POLED, HELD, HELD_TURN
cdef double FIT_PLACE, FIT_TURN, EXACT, EXACT_TURN
cdef double STRIDE, YIELD, POLE_PLACE, LEAN, UPSIDE
cdef double CLOSE, LOWERS, BACK, TILTS, BALANCE, BOWS, CROUCHES, DEEP, SOON, HIGH
cdef double BESIDE, STRETCHED, MOST_TILT
cdef double FREE, LED, LED_TURN, LED_WEIGHT, FREE_WAY, LED_WAY, BACKWARDS, FOLDED, FADING, LAG, STRAIGHT


@cython.final
cdef class BodyKernel:
    cdef PoseKernel figure
    cdef object _pinned, mat
    cdef float[::1] numbers
    cdef readonly int count, goal_count, limb_count, iterations, size_of_state
    cdef public int lock, head, is_warm
    cdef int derived
    cdef readonly double caution, budget, lag
    cdef Ints joint, above, end, limb, carrier
    cdef BodyTree tree
    cdef Doubles shape, settings, state, now, goal, work

    cpdef void reset(self) noexcept nogil
    cpdef bint read(self) noexcept nogil
    cpdef int take(self, int g, object reader) except -1
    cpdef int take_pole(self, int g, object reader) except -1
    cpdef void pin(self, int g) noexcept nogil
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
    cdef double allowed(self, double dt) noexcept nogil
    cdef double excess(self, double angle, double way) noexcept nogil
    cdef void mark_missed(self) noexcept nogil
    cdef void slow_down(self, double dt) noexcept nogil
    cdef double step(self) noexcept nogil
    cdef void carry(self, int g) noexcept nogil
    cdef bint find_pole(self, int n) noexcept nogil
    cdef void close(self, bint exact) noexcept nogil
    cdef void finish(self, bint still) noexcept nogil
    cpdef void write(self, double part) noexcept nogil
    cdef void solve_axes(self) noexcept nogil
    cpdef void crouch(
        self, int hips, bint led, double led_by, double x, double y,
        double z) noexcept nogil
    cpdef int resume(self, object states, long o) except -1
    cpdef int keep(self, object states, long o) except -1
    cdef void load(self, Doubles row, long o) noexcept nogil
    cdef void store(self, Doubles row, long o) noexcept nogil
