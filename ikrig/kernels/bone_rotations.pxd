from ikrig.kernels.quat_ops cimport conj_mul, data, from_to, mul, scale_rotation
from libc.math cimport atan2, cos, sin
from ikrig.kernels.rest_pose cimport RestPoseKernel


cdef class BoneRotationKernel(RestPoseKernel):
    cdef public int roll_from_parent, swing, slides
    cdef public double weight, max_step, twist_spread, lengthening
    cdef double *pos
    cdef double *prev_pos
    cdef double *joint_pos
    cdef double *dir
    cdef double *swing_rot
    cdef double *delta_rot
    cdef double *solved_rot
    cdef double *tip
    cdef double *rot
    cdef double *local
    cdef double *scratch
    # rotations of the pose that limits refer to, and from there to the start pose
    cdef double *limit_rot
    cdef double *rest_to_anim
    cdef double *goal_rot

    cpdef void rotate_bones(self, int use_tip) noexcept
    cdef void spread_twist(self) noexcept
    cdef int limit_step(self, double dt) noexcept
    cpdef void write(self) noexcept
    cpdef void find_rest_to_anim(self) noexcept
    cpdef void aim_leaf(self, int limited) noexcept
    cpdef void to_limits(self) noexcept
    cpdef void from_limits(self) noexcept
    cdef void relative_rotation(self, double *out, double *a, double *b, int j) noexcept
