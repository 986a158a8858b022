from ikrig.kernels.vectors cimport add3, between, by_rows, copy, cross, distance, less, put, three
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.matrices cimport adjugate, from_rows, square_up
from ikrig.kernels.node_frame cimport NodeReader
from ikrig.kernels.pose cimport PoseKernel
from ikrig.kernels.quat_ops cimport conj_mul, from_to, log_rotation, mul, mul_conj, rotate_back, rotate_row, rotate_vec, rotation_vector, scale_rotation
from libc.math cimport acos, cos, sin, sqrt

cdef int SHAPE, STIFFNESS, MIDDLE, LIMITS, STATE, NOW, LOCAL, OFFSET, ROTATION, PLACE
cdef int ANGLES, START, FOUND, HAD, LAST, MISSED, TREE, FORCE, COLUMNS, PRODUCTS, INVERSE, PULL, WORK
cdef int GOAL, TURN, WEIGHT, TURN_WEIGHT, STRENGTH, POLE, POLED, HELD, HELD_TURN
cdef double LIMIT_STIFFNESS, LARGEST_STEP, FIT_PLACE, FIT_TURN, EXACT, EXACT_TURN
cdef double STRIDE, YIELD, POLE_PLACE, LEAN, UPSIDE
cdef double FREE, LED, LED_TURN, BACKWARDS, FOLDED, FADING, LAG, SOFT, STIFFER, STRAIGHT


cdef class BodyKernel:
    cdef PoseKernel figure
    cdef object _pinned, mat
    cdef float[::1] numbers
    cdef readonly int count, goal_count, limb_count, iterations
    cdef public int lock, head, is_warm
    cdef readonly double caution, budget, lag
    cdef Ints joint, above, end, limb, carrier
    cdef Doubles shape, settings, state, now, tree, goal, work

    cpdef void reset(self) noexcept
    cpdef bint read(self) noexcept
    cpdef int take(self, int g, object reader) except -1
    cpdef int take_pole(self, int g, object reader) except -1
    cpdef void pin(self, int g) noexcept
    cdef void follow(self, int first, int after) noexcept
    cdef void turn(self, int k, int q) noexcept
    cdef void relate(self, int k) noexcept
    cdef void add_goal(self, int g, double place, double turn) noexcept
    cdef void add_pull(
        self, int k, double x, double y, double z, double place,
        double yields) noexcept
    cdef void clear_tree(self) noexcept
    cdef void fit(self, int rounds) noexcept
    cdef void invert(self, int o, int row) noexcept
    cdef void start(self) noexcept
    cpdef double solve(self, int rounds, double dt) noexcept
    cdef double allowed(self, double dt) noexcept
    cdef double turned(self) noexcept
    cdef void mark_missed(self) noexcept
    cdef void slow_down(self, double dt) noexcept
    cdef double step(self) noexcept
    cdef void measure(self, int out, int k, int q) noexcept
    cdef void deviate(self, Doubles out, int at, int k) noexcept
    cdef void carry(self, int g) noexcept
    cdef bint find_pole(self, int n) noexcept
    cdef void eliminate(self, int k) noexcept
    cdef void close(self, bint exact) noexcept
    cdef void finish(self) noexcept
    cpdef int write(self, double part) except -1
    cdef void solve_axes(self) noexcept


cdef void product(
    Doubles m, long i, Doubles v, long j, Doubles out, long o) noexcept nogil
