from ikrig.kernels.vectors cimport (
    between, by_rows, copy, cross, distance, less, moved, norm3, put, put4, three)
from ikrig.kernels.buffers cimport Doubles, doubles, pin
from ikrig.kernels.pose cimport PoseKernel
from ikrig.kernels.quat_ops cimport about, from_to, mul, rotate_vec
from ikrig.kernels.spring_damper cimport Spring
from libc.math cimport acos, atan2, cos, pi, sin, sqrt

cdef int PART, POINT, SIDES, STEPS, WAYS, PIECES, PLACES, BENDS
cdef double FAR, AHEAD, TURN, BACK, AWAY, JUMP, SWING, STRAIGHT, BENT, LONGEST, CHANGE, SHOWN
cdef double LONG, NEAR, MARGIN, BEHIND


cdef class ArmClearance:
    cdef PoseKernel figure
    cdef object _pinned
    cdef int first, elbow, hand, parts, points
    cdef Doubles part, point, work
    cdef double upper_thick, lower_thick
    cdef int front
    cdef double front_x, front_y, front_z
    cdef list push
    cdef readonly Spring swing
    cdef bint known, pushed, led
    # offsets in the work
    cdef int placed, held, turned, spare
    # way out of the body, bend and line of the last frame; last result of ``gap``
    cdef double way_x, way_y, way_z, nx, ny, nz
    cdef double bend_x, bend_y, bend_z, line_x, line_y, line_z
    cdef double size, upper, lower, own
    # how far the hand goes round the body, where, and how long its way is
    cdef double round, round_x, round_y, round_z, whole

    cpdef void reset(self)
    cpdef bint step(
        self, double x, double y, double z, double weight, bint keeps,
        double dt) except -1
    cdef bint move(
        self, double x, double y, double z, double weight, bint keeps, double dt,
        bint again) except -1
    cpdef int lead(self, object pose, bint begins) except -1
    cdef void plan(self, Doubles at, double left) noexcept
    cdef void ahead(self) noexcept
    cdef void place(self) noexcept
    cdef void stand(self) noexcept
    cdef bint bend_to(self, double x, double y, double z) noexcept
    cdef void swing_hand(
        self, double wx, double wy, double wz, double x, double y, double z) noexcept
    cdef double gap(self, double x, double y, double z) noexcept
    cdef double hand_gap(self, int held, double x, double y, double z) noexcept
    cdef double exit(self, double x, double y, double z, double allowed) noexcept
    cdef void lead_way(self, double dt) noexcept
    cdef double inside(self, int o, double angle, double high, double wide) noexcept
    cdef double wanted(
        self, int o, double high, double wide, double now) noexcept
    cdef double cost(
        self, int o, double angle, double now, double high, double wide) noexcept
    cdef void turn(self, int j, int q) noexcept
