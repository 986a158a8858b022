from ikrig.kernels.vectors cimport (
    add3, between, copy, cross, less, norm3, put, put4, rotated, three)
from ikrig.kernels.buffers cimport Doubles, doubles, pin
from ikrig.kernels.jacobian cimport set_columns
from ikrig.kernels.codes cimport AXES, BALL, FIXED, SLIDE
from ikrig.kernels.joints cimport JointKernel
from ikrig.kernels.quat_ops cimport conj_mul, from_to, mul, mul_conj, rotate_back, rotate_row, rotation_vector
from libc.math cimport acos, atan2, sqrt

cdef double SLOW, VERY_SLOW


cdef class LimitedSweeps:
    cdef JointKernel joints
    cdef object _pinned
    cdef Doubles goals, pull, mean

    cpdef int sweep(
        self, bint by_joint, int iterations, double tolerance,
        double orientation_tolerance) noexcept
    cdef void backward_pass(self) noexcept
    cdef void forward_pass(self) noexcept
    cdef void point(self, int j, int k) noexcept
    cdef void propose(self, int j, double fraction, Doubles q, int o) noexcept
    cdef int apply_mean(self, int j) noexcept
    cdef void slide(self, int j) noexcept
    cdef void rotate_ball(self, int j) noexcept
    cdef void slide_tip_to_goal(self, int j) noexcept
    cdef void rotate_hinges(self, int j) noexcept
    cdef void turn_to_goals(self, int j) noexcept
    cdef int moves(self, int j, int e) noexcept
    cdef double best_angle(
        self, int j, double ax, double ay, double az, int turns) noexcept
    cpdef void set_two_bones(self, int e, int b, int m) noexcept
