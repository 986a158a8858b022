from ikrig.kernels.quat_ops cimport (
    conj_mul, data, index, mul, rotate_vec, rotation_vector)
from libc.math cimport atan2, floor, sqrt
from ikrig.kernels.joint_poses cimport JointPoseKernel

cdef double PI, FULL_TURN, FARTHEST


cdef class JointCoordinateKernel(JointPoseKernel):
    cdef public int m
    # 1: coordinates with a full turn wrap from one end of their range to the other
    cdef public int cyclic
    cdef public double scale, size
    # the tree
    cdef int *kind
    cdef int *first
    cdef double *offset
    cdef double *bone
    cdef double *across
    cdef double *up
    cdef double *half
    cdef double *axis
    cdef double *lower
    cdef double *upper
    # the pose, the shown pose, and a stored one
    cdef double *value
    cdef double *shown_value
    cdef double *kept_value
    cdef double *start_value
    cdef double *shown_q
    cdef double *kept_q
    cdef double *start_q
    cdef double *points
    cdef double *rest_to_anim
    cdef double *work
    cdef double *speed
    # the joints that follow others
    cdef public int coupled
    cdef int *follower
    cdef int *leading
    cdef double *coupling

    cdef void project(self, int j) noexcept
    cdef void couple(self) noexcept
    cdef void to_ellipse(self, int j) noexcept
    cdef void set_from_rotation(self, int j, double *r, int o) noexcept
    cdef double unwrap(self, int k, double angle) noexcept
    cpdef int sound(self) noexcept
    cdef void bone_offset(self, int j) noexcept
