from ikrig.kernels.buffers cimport Doubles, doubles
from ikrig.kernels.quat_ops cimport conj_mul, from_to, mul, scale_rotation
from ikrig.kernels.rest_pose cimport RestPoseKernel
from libc.math cimport atan2, cos, sin


cdef class BoneRotationKernel(RestPoseKernel):
    cdef public int roll_from_parent, swing, slides
    cdef public double weight, max_step, twist_spread, lengthening
    cdef Doubles pos, prev_pos, joint_pos, dir, swing_rot, delta_rot, solved_rot, tip
    cdef Doubles rot, local, scratch
    # rotations of the pose that limits refer to, and from there to the start pose
    cdef Doubles limit_rot, rest_to_anim

    cpdef void rotate_bones(self, int use_tip) noexcept
    cdef void turn_bones(self, int use_tip) noexcept nogil
    cdef void spread_twist(self) noexcept nogil
    cdef int limit_step(self, double dt) noexcept nogil
    cpdef void write(self) noexcept
    cpdef void to_limits(self) noexcept
    cdef void relative_rotation(self, Doubles out, Doubles a, Doubles b, int j) noexcept nogil
