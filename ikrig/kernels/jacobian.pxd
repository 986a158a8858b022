from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints
from ikrig.kernels.joint_coordinates cimport FULL_TURN
from ikrig.kernels.joint_fk cimport JointFkKernel
from ikrig.kernels.joint_poses cimport set_columns
from ikrig.kernels.quat_ops cimport mul, rotate_vec, rotation_vector
from libc.math cimport atan2, cos, sin, sqrt

cdef double FAR


cdef class JacobianKernel(JointFkKernel):
    cdef public int e, rows, segments
    cdef public double error, orientation_error
    cdef Ints effector, at_bound
    cdef Doubles tool, goal, goal_rot, weights, residual, gradient, step, low, high
    cdef Doubles columns, solved, tips, wish
    cdef Ints effector_row
    # the normal of a cone's edge, and its half angles there
    cdef double edge_x, edge_y, half_x, half_y
    # layout of a segment, see ``segments.set_width``
    cdef int width, stride, factor, reduced, twist, centre
    cdef Ints segment_first, segment_joint, segment_parent, segment_effector
    cdef Ints segment_inner, segment_rows
    cdef Doubles segment, mobility, joint_row

    cpdef double measure(self) noexcept
    cdef void set_columns(self) noexcept
    cdef void set_edge_normal(self, int j) noexcept
    cdef void set_cone_columns(self, int j) noexcept
    cdef void set_ranged_columns(self, int j) noexcept
    cdef void couple_columns(self, Doubles jac) noexcept
    cdef int slides_at(self, int k) noexcept
    cpdef linearise(self, out)
    cdef void set_jacobian(self, Doubles jac) noexcept
    cdef void set_joint_rows(
        self, int e, int j, Doubles jac, int stride, int row) noexcept
