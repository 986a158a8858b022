from ikrig.kernels.vectors cimport between, by_rows, copy, norm3, put, put4
from ikrig.kernels.buffers cimport Doubles, doubles
from ikrig.kernels.joint_poses cimport write_columns
from ikrig.kernels.codes cimport BALL, CONE, FIXED, RANGED, SLIDE
from ikrig.kernels.joints cimport FULL_TURN, JointKernel
from ikrig.kernels.quat_ops cimport mul, rotate_back, rotate_row, rotation_vector
from libc.math cimport cos, sin, sqrt

cdef double FAR

cdef void free_steps(JointKernel joints, int k, int count) noexcept
cdef void set_columns(JointKernel joints) noexcept
cdef void set_edge_normal(JointKernel joints, int j) noexcept
cdef void set_cone_columns(JointKernel joints, int j) noexcept
cdef void set_ranged_columns(JointKernel joints, int j) noexcept
cdef void couple_columns(JointKernel joints, Doubles jac) noexcept
cdef int slides_at(JointKernel joints, int k) noexcept
cpdef linearise(JointKernel joints, out)
cdef void set_jacobian(JointKernel joints, Doubles jac) noexcept
cdef void set_joint_rows(
    JointKernel joints, int e, int j, Doubles jac, int stride, int row) noexcept
cpdef double longest_rotation(JointKernel joints) noexcept
cpdef void advance(JointKernel joints, double factor) noexcept
