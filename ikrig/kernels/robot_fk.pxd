from ikrig.kernels.vectors cimport between, copy, multiply, put, put4, rotated, three
from ikrig.kernels.codes cimport BALL_JOINT, FREE_JOINT, HINGE_JOINT, SLIDE_JOINT
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.joint_poses cimport set_poses, write_columns
from ikrig.kernels.quat_ops cimport mul, unit
from ikrig.kernels.angles cimport cosine_sine


cdef class RobotKernel:
    cdef object _pinned
    cdef public int n, count, bodies, joints, coordinates, sites, mocaps, dofs
    # index of the first joint's node
    cdef int first
    # the tree
    cdef Ints parent, kind, joint_qpos, joint_dof, joint_body, carrier, body, site_body
    cdef Ints node_turned, body_turned, inertia_turned, site_turned
    cdef Doubles offset, before, after, axis, qpos0, body_pos, body_quat, body_ipos
    cdef Doubles body_iquat, site_pos, site_quat
    # the nodes of one pose
    cdef Doubles local_pos, q, rotations, joint_pos
    # the poses
    cdef Doubles qpos, mocap_pos, mocap_quat, xpos, xquat, xmat, xanchor, xaxis, xipos
    cdef Doubles ximat, site_xpos, site_xmat, cosine, sine, work

    cpdef void forward(self) noexcept
    cdef void set_nodes(self, long k) noexcept
    cdef void set_rotation(self, long node, Doubles quat, long i) noexcept
    cdef void set_joints(self, long k) noexcept
    cdef void set_carried(self, long k) noexcept
    cdef void set_frames(
        self, long first, long n, Ints body, Doubles pos, Doubles quat, Ints turned,
        Doubles out, Doubles mat, long o) noexcept
    cpdef void jacobian(
        self, long body, double[::1] points, double[::1] out) noexcept
    cdef void set_joint_columns(
        self, long k, long j, Doubles points, Doubles out, long o) noexcept


cdef void carry(
    Doubles out, long o, Doubles pos, long i, Doubles mat, long m, Doubles v,
    long j) noexcept
cdef void write_matrix(Doubles out, long o, Doubles q, long i) noexcept
