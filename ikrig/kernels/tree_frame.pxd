from ikrig.kernels.vectors cimport copy, norm3, put, put4, three
from ikrig.kernels.branch_bends cimport fold, swing
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.chain cimport ChainKernel
from ikrig.kernels.codes cimport BAD_GOAL, BAD_ROOT, BAD_ROTATION, BAD_WEIGHT, BY_STEP, BY_WEIGHT, NOT_FINITE, NOT_PLAIN, NOTHING, READ
from ikrig.kernels.joint_search cimport JointSearch
from ikrig.kernels.joints cimport JointKernel
from ikrig.kernels.posture cimport Posture
from ikrig.kernels.quat_ops cimport rotate_row
from libc.math cimport exp, pow, sqrt

cdef int RESTARTS, FINISH, TIP_SOLVES
cdef double CREEP, UNEXPLAINED, EXACT, DRAWN, FINE, LARGEST_SQUARE, MOST_WEIGHT


cdef class TreeFrame:
    cdef JointKernel joints
    cdef JointSearch search
    cdef Posture posture
    cdef object _pinned, result_type, make
    cdef tuple statuses
    cdef str bad_numbers
    cdef Doubles point, far, tip, pole, side, gap, aimed, held, last_held
    cdef Ints turned, leaf, rigid, held_off, folds_at, swings_at, loose
    # settings
    cdef public int iterations
    cdef public double tolerance, orientation_tolerance, weight, max_step, posture_weight
    # snap_back below 0: by the animation
    cdef public double soften, snap_back
    # 1: joints have speeds, the start pose is animated, the root keeps its place
    cdef public bint paced, animated, pinned
    # 1: an effector has a tip, or this frame a pole
    cdef public bint tipped, poled
    # this frame
    cdef public double rx, ry, rz
    cdef public int used, blocker, bad
    cdef public double left, error
    cdef double orientation_error, solved_error
    cdef public object verdict
    # and what leads from one to the next
    cdef public bint begun, arrived, continuous, tracking, searched, beyond, unchanged

    cpdef int read(
        self, goals, rotations, weights, turn_weights, root) except -1
    cpdef void set_goal(
        self, int e, double x, double y, double z, double strength, bint turned,
        double turn_weight) noexcept
    cpdef void set_chain_goal(
        self, ChainKernel chain, double gx, double gy, double gz, bint use_pole,
        double px, double py, double pz, bint use_tip, double turn_weight) noexcept
    cpdef int set_poles(self, poles, branches) except -1
    cpdef int begin(self, guess, double dt) except -1
    cpdef void note_goals(self, double snap_back) noexcept
    cdef void note_jump(self) noexcept
    cpdef void forget_motion(self) noexcept
    cdef void bend_straight(self) noexcept
    cpdef int descend(
        self, int iterations, double tolerance, double orientation_tolerance) noexcept
    cdef int descend_on(
        self, int iterations, double tolerance, double orientation_tolerance) noexcept
    cpdef void close_gap(self, int iterations) noexcept
    cpdef void end(self, int used, bint polish, double dt) noexcept
    cpdef void lose(self) noexcept
    cdef void close(self) noexcept
    cdef bint turns_last(self, int e) noexcept
    cdef void swing_branches(self) noexcept
    cdef void rotate_leaves(self) noexcept
    cdef void set_rigid(self, int e, bint rigid) noexcept
    cpdef void loosen(self) noexcept
    cdef void turn_tip(self, Doubles out, int o, Doubles q, int k, int e) noexcept
    cdef void aim_tips(self) noexcept
    cdef void follow_leaves(self) noexcept
    cdef void measure(self) noexcept
    cpdef object result(self, bint strict, bint beyond, bint several, find_blocked)


cdef bint plain(x)
cdef double apart(Doubles a, Doubles b, int o) noexcept
