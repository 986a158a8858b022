from ikrig.kernels.vectors cimport (
    add3, between, copy, distance, dot, norm3, put, put4, rotated, three)
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.codes cimport AXES, BALL, BY_STEP, BY_WEIGHT, CONE, FIXED, NOT_FINITE, NOTHING, RANGED, SLIDE
from ikrig.kernels.joint_poses cimport set_poses
from ikrig.kernels.quat_ops cimport angle_of, conj_mul, log_rotation, mul, mul_conj, rotate_back, rotate_row, rotate_vec, rotation_vector, scale_rotation, square_sum
from ikrig.kernels.rest_pose cimport measure
from libc.math cimport atan2, floor, sqrt

cdef double PI, FULL_TURN, FARTHEST


cdef struct StoredPose:
    Doubles value
    Doubles q

cdef StoredPose stored(buffers, str name) except *


cdef class JointKernel:
    cdef public int n, m, e, rows, segments
    # 1: coordinates with a full turn wrap from one end of their range to the other
    cdef public int cyclic
    # the number of joints that follow others
    cdef public int coupled
    cdef public double scale, size, error, orientation_error
    cdef object _pinned
    # the tree
    cdef Ints parent, kind, first, follower, leading, first_child, next_child
    cdef Ints effector, effector_row, effector_at, effectors_below, at_bound
    cdef Ints segment_first, segment_joint, segment_parent, segment_effector
    cdef Ints segment_inner, segment_rows
    cdef Doubles offset, bone, across, up, half, axis, lower, upper, speed, coupling
    # the start pose
    cdef Doubles points, local_trs, child_frame, limit_rot, rest_rot, rest_to_anim
    cdef Doubles mirror, frames
    # the pose, the shown pose, and a stored one
    cdef Doubles local_pos, joint_pos, q, rotations, rot, local
    cdef Doubles value
    cdef StoredPose own_pose, shown_pose, kept_pose, start_pose
    # goals and steps
    cdef Doubles tool, goal, goal_rot, weights, tips, residual, gradient, step, low
    cdef Doubles high, columns, mobility, wish, solved, joint_row, segment, work
    # the normal of a cone's edge, and its half angles there
    cdef double edge_x, edge_y, half_x, half_y
    # layout of a segment, see ``damped_steps.set_width``
    cdef int width, stride, factor, reduced, twist, centre

    cdef void project(self, int j) noexcept
    cdef void turn_about(self, int k, double angle, Doubles q, int o) noexcept
    cdef void set_swing(self, int j, Doubles out) noexcept
    cdef void couple(self) noexcept
    cdef void to_ellipse(self, int j) noexcept
    cdef void set_from_rotation(self, int j, Doubles r, int o) noexcept
    cdef double unwrap(self, int k, double angle) noexcept
    cpdef int sound(self) noexcept
    cdef void bone_offset(self, int j) noexcept
    cpdef void rest(self) noexcept
    cpdef void set_start(self, int limited) noexcept
    cpdef void forward(self) noexcept
    cdef void set_from_rotations(self, Doubles r) noexcept
    cdef void turn_to(self, int j, Doubles r, int o) noexcept
    cpdef void set_from_solved_rot(self) noexcept
    cdef void copy_pose(self, StoredPose pose, StoredPose to) noexcept
    cdef void store(self, StoredPose to) noexcept
    cdef void load(self, StoredPose pose) noexcept
    cpdef void keep(self) noexcept
    cpdef void restore(self) noexcept
    cpdef void pull_back(self, double fraction) noexcept
    cdef void blend_joint(self, int j, StoredPose pose, double fraction) noexcept
    cpdef void start_over(self) noexcept
    cpdef int show(self, double weight, double limit, double dt) noexcept
    cpdef void rotate_leaf(self, int e, int use_tip) noexcept
    cpdef double measure(self) noexcept
    cpdef int reached(self, double tolerance, double orientation_tolerance) noexcept
    cpdef double gap(
        self, int e, double gx, double gy, double gz, double tx, double ty, double tz
    ) noexcept
    cpdef double angle(self, int e) noexcept
    cpdef double set_from_locals(self) noexcept
    cpdef double bones_before(self, int e) noexcept
    cpdef void aim_rest_to_anim(self, int e) noexcept
    cpdef void blend(self, double fraction) noexcept
    cpdef void write(self) noexcept
