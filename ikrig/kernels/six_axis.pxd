from ikrig.kernels.vectors cimport by_rows, copy, put
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from libc.math cimport atan2, ceil, copysign, cos, floor, sin, sqrt

cdef double PI, TAU, SLACK, ROUGH, HUGE, FAR_TURN, CLAMPED
cdef int OUT_OF_REACH, BLOCKED, JUMP, INVALID, WRONG_SHAPE


cdef double beside(double offset, double radius) noexcept


cdef class SixAxisKernel:
    cdef object _pinned
    # the arm
    cdef double a1, b, c1, c2, forearm, bend, size, slack, room
    cdef Doubles base, tool, sign, offset, lower, upper
    # the pose, and the rows that reach it
    cdef public int count, blocked
    cdef public double tolerance
    cdef int kept
    cdef Doubles pose, near, q, rows
    cdef Ints branches
    cdef Doubles work

    cpdef void tool_pose(self) noexcept
    cpdef void forward_many(self, int n, double[::1] q, double[::1] poses) noexcept
    cdef int set_goal(
        self, const double[:] position, const double[:, :] rotation,
        const double[:] near) noexcept
    cdef int enter(self) noexcept
    cdef int solve_all(self) noexcept
    cpdef int solve_all_one(
        self, const double[:] position, const double[:, :] rotation,
        const double[:] near) noexcept
    cpdef void solve_all_many(
        self, int n, double[::1] poses, double[::1] near, double[::1] rows
    ) noexcept
    cdef void load(self, Doubles poses, Doubles near, int i) noexcept
    cdef double free(self, int i) noexcept
    cdef double room_near(self, double size, double gap) noexcept
    cdef double keep(self, int i, double angle, double width) noexcept
    cdef void elbow(
        self, int branch, int ambiguous_bits, double t1, double x, double y) noexcept
    cdef void wrist(
        self, int branch, int ambiguous_bits, double t1, double t2, double t3) noexcept
    cdef void add_row(
        self, int branch, int ambiguous_bits, double t1, double t2, double t3, double t4
    ) noexcept
    cdef int pick(self, int kept, double max_step) noexcept
    cdef int wrap_into_limits(self, int row, int rotations) noexcept
    cdef int move_roll_to_joint_4(self, int row, int bits) noexcept
    cpdef int pick_one(
        self, const double[:] position, const double[:, :] rotation,
        const double[:] near) noexcept
    cpdef void pick_many(
        self, int n, double[::1] poses, double[::1] near, double[::1] q,
        int[::1] codes) noexcept
    cpdef int follow(
        self, int n, double[::1] poses, double max_step, double[::1] q, int[::1] codes
    ) noexcept
