from ikrig.kernels.vectors cimport between, norm3, put
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.codes cimport NOT_FINITE
from ikrig.kernels.joint_search cimport JointSearch
from ikrig.kernels.joints cimport JointKernel
from ikrig.kernels.posture cimport Posture
from ikrig.kernels.quat_ops cimport conj_mul, mul, mul_conj, unit
from ikrig.kernels.tree_frame cimport RESTARTS
from libc.math cimport sqrt

cdef double LARGEST


cdef class RobotCoordinateKernel:
    cdef public JointKernel tree
    cdef public JointSearch search
    cdef int count
    cdef object _pinned
    cdef Ints joint, address, is_ball
    cdef Doubles zero, lower, upper, before, after, reach, origin, scratch

    cdef int set_pose(self, JointKernel tree, Doubles qpos, long o) noexcept
    cdef void write_pose(self, JointKernel tree, Doubles qpos, long o) noexcept
    cpdef int set_qpos(self, qpos)
    cpdef void write_qpos(self, qpos)
    cpdef int solve_many(
        self, Posture posture, long count, long size, int iterations, double tolerance,
        double orientation_tolerance, double posture_fraction, starts, aims, gaps,
        outcomes) except -1
    cdef int aim(self, JointKernel tree, Doubles goals, long o) noexcept
    cdef double gap(self, JointKernel tree, Doubles goals, long o) noexcept
