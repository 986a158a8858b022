from ikrig.kernels.joint_coordinates cimport FULL_TURN
from ikrig.kernels.joint_poses cimport set_columns
from ikrig.kernels.quat_ops cimport data, index, mul, rotate_vec, rotation_vector
from libc.math cimport atan2, cos, sin, sqrt
from ikrig.kernels.joint_fk cimport JointFkKernel

cdef double FAR


cdef class JacobianKernel(JointFkKernel):
    cdef public int e, rows, segments
    cdef public double error, orientation_error
    cdef int *effector
    cdef int *at_bound
    cdef double *tool
    cdef double *goal
    cdef double *goal_rot
    cdef double *weights
    cdef double *residual
    cdef double *gradient
    cdef double *step
    cdef double *low
    cdef double *high
    cdef double *columns
    cdef double *solved
    cdef double *tips
    cdef int *effector_row
    # the normal of a cone's edge, and its half angles there
    cdef double edge_x, edge_y, half_x, half_y
    # layout of a segment, see ``segments.set_width``
    cdef int width, stride, factor, reduced, twist, centre
    cdef int *segment_first
    cdef int *segment_joint
    cdef int *segment_parent
    cdef int *segment_effector
    cdef int *segment_inner
    cdef int *segment_rows
    cdef double *segment
    cdef double *mobility
    cdef double *joint_row

    cpdef double measure(self) noexcept
    cdef void set_columns(self) noexcept
    cdef void set_edge_normal(self, int j) noexcept
    cdef void set_cone_columns(self, int j) noexcept
    cdef void set_ranged_columns(self, int j) noexcept
    cdef void couple_columns(self, double *jac) noexcept
    cdef int slides_at(self, int k) noexcept
    cpdef linearise(self, out)
    cdef void set_jacobian(self, double *jac) noexcept
    cdef void set_joint_rows(
        self, int e, int j, double *jac, int stride, int row) noexcept
