from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints
from ikrig.kernels.joint_poses cimport JointPoseKernel
from ikrig.kernels.quat_ops cimport conj_mul, log_rotation, mul, rotate_vec, rotation_vector
from libc.math cimport atan2, floor, sqrt

cdef double PI, FULL_TURN, FARTHEST


cdef class JointCoordinateKernel(JointPoseKernel):
    cdef public int m
    # 1: coordinates with a full turn wrap from one end of their range to the other
    cdef public int cyclic
    cdef public double scale, size
    # the tree
    cdef Ints kind, first
    cdef Doubles offset, bone, across, up, half, axis, lower, upper
    # the pose, the shown pose, and a stored one
    cdef Doubles value, shown_value, kept_value, start_value, shown_q, kept_q, start_q
    cdef Doubles points, rest_to_anim, work, speed
    # the joints that follow others
    cdef public int coupled
    cdef Ints follower, leading
    cdef Doubles coupling

    cdef void project(self, int j) noexcept
    cdef void couple(self) noexcept
    cdef void to_ellipse(self, int j) noexcept
    cdef void set_from_rotation(self, int j, Doubles r, int o) noexcept
    cdef double unwrap(self, int k, double angle) noexcept
    cpdef int sound(self) noexcept
    cdef void bone_offset(self, int j) noexcept
