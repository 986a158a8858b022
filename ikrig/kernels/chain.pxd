from ikrig.kernels.vectors cimport (
    add_to, between, copy, less, norm3, put, put4, rotated, three)
from ikrig.kernels.bend_sides cimport SLIGHT_BEND, WRONG_BEND, add_pole, add_slight_bend, blend_sides
from ikrig.kernels.buffers cimport Doubles, doubles, pin
from ikrig.kernels.codes cimport BEYOND, BY_STEP, BY_WEIGHT, INSIDE, NOT_FINITE, NOTHING, TOO_NEAR
from ikrig.kernels.gap_closing cimport close_gap_bend, two_bone_close
from ikrig.kernels.quat_ops cimport about, angle_of, conj_mul, from_to, mul, mul_conj, rotate_row, scale_rotation, square_sum
from ikrig.kernels.rest_pose cimport StartPose, turned_far
from libc.math cimport atan2, cos, exp, sin, sqrt

cdef double FIRST_PART


cdef class ChainKernel:
    cdef readonly StartPose start
    cdef readonly int n
    cdef object _pinned
    # the pose
    cdef public int roll_from_parent, swing, slides, limited
    cdef public double weight, part, max_step, twist_spread, lengthening
    cdef Doubles pos, prev_pos, joint_pos, dir, swing_rot, delta_rot, solved_rot, tip
    cdef Doubles rot, local
    cdef double[12] scratch
    # rotations of the pose that limits refer to, and from there to the start pose
    cdef Doubles limit_rot, rest_to_anim

    cdef void turn_bones(self, int use_tip) noexcept nogil
    cdef int is_sound(self) noexcept nogil
    cdef void make_guess(self, int flat) noexcept nogil
    cdef void spread_twist(self) noexcept nogil
    cdef int limit_step(self, double dt) noexcept nogil
    cpdef void write(self) noexcept
    cpdef void to_limits(self) noexcept
    # the goal
    cdef public int out_of_reach, choose_start, posed
    cdef public double farther, tolerance, soften, snap_back, stretch
    # this frame's goal, its direction and the bend's direction
    cdef public double gx, gy, gz, cx, cy, cz, bx, by, bz

    cpdef void store_bend(self) noexcept
    cdef int classify_goal(self, double gx, double gy, double gz) noexcept nogil
    cdef void find_bend(
        self, int use_pole, double px, double py, double pz, double ox, double oy,
        double oz) noexcept nogil
    cdef int go_part(self) noexcept nogil
    cdef int place_goal(self, double aim) noexcept nogil
    cdef void swing_to_bend(self, double x, double y, double z) noexcept nogil
    cpdef void guess(self, int flat, bint animated) noexcept
    cdef void flatten(self) noexcept nogil
    cdef void sort_into_arc(self) noexcept nogil
    cdef void aim(self) noexcept nogil
    cdef void forward_positions(self) noexcept nogil
    # the frame
    cdef public int iterations, used, case
    cdef public double error, orientation_error
    # the gap before the finish [scene unit]
    cdef public double left
    # the goal as passed in, before it is clamped to the reach
    cdef public double tx, ty, tz

    cpdef int solve(
        self, double gx, double gy, double gz, int use_pole, double px, double py,
        double pz, int use_tip, double dt) noexcept
    cpdef void aim_tip(self) noexcept
    cpdef void begin(
        self, double gx, double gy, double gz, int use_pole, double px, double py,
        double pz) noexcept
    cpdef int finish(self, int use_tip, double dt) noexcept
    cpdef void start_over(self, int use_tip) noexcept
    cpdef void update_directions(self) noexcept
    cpdef int set_rotations(self, rotations) except -1
    cpdef void continue_from_solved(self) noexcept
    cpdef void evaluate(self, int use_tip) noexcept
    cdef int iterate(self) noexcept nogil
    cdef void sweep(self) noexcept nogil
    cpdef void close(self) noexcept
    cdef void close_gap(self) noexcept nogil
    cdef double gap(self) noexcept nogil
    cdef void aim_bones(
        self, double gx, double gy, double gz, int use_pole, double px, double py,
        double pz) noexcept nogil
    cdef void set_goal(
        self, double gx, double gy, double gz, int use_pole, double px, double py,
        double pz) noexcept nogil
    cdef void straighten(self) noexcept nogil
