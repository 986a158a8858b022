from ikrig.kernels.quat_ops cimport data, index, mul, unit
from ikrig.kernels.trig cimport cosine_sine
from ikrig.kernels.joint_poses cimport (
    JointPoseKernel, set_axes, set_bodies, set_columns, set_frames)


cdef class RobotKernel(JointPoseKernel):
    cdef public int count, bodies, joints, coordinates, sites, mocaps, dofs
    # index of the first joint's node
    cdef int first
    # the tree
    cdef int *kind
    cdef int *joint_qpos
    cdef int *joint_dof
    cdef int *joint_body
    cdef int *carrier
    cdef int *body
    cdef int *site_body
    cdef int *body_turned
    cdef int *inertia_turned
    cdef int *site_turned
    cdef double *offset
    cdef double *before
    cdef double *after
    cdef double *axis
    cdef double *qpos0
    cdef double *body_pos
    cdef double *body_quat
    cdef double *body_ipos
    cdef double *body_iquat
    cdef double *site_pos
    cdef double *site_quat
    # the poses
    cdef double *qpos
    cdef double *mocap_pos
    cdef double *mocap_quat
    cdef double *xpos
    cdef double *xquat
    cdef double *xmat
    cdef double *xanchor
    cdef double *xaxis
    cdef double *xipos
    cdef double *ximat
    cdef double *site_xpos
    cdef double *site_xmat
    cdef double *cosine
    cdef double *sine
    cdef double *work

    cpdef void forward(self) noexcept
    cdef void set_nodes(self, long k) noexcept
    cdef void set_rotation(self, long node, double *quat, long i) noexcept
    cdef void set_joints(self, long k) noexcept
    cdef void set_carried(self, long k) noexcept
    cpdef void jacobian(
        self, long body, double[::1] points, double[::1] out) noexcept
    cdef void set_joint_columns(
        self, long k, long j, double *points, double *out, long o) noexcept
