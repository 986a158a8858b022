from ikrig.kernels.quat_ops cimport conj_mul, data, hold, index, mul, unit
from libc.math cimport sqrt
from ikrig.kernels.joint_rotations cimport MultiEffectorKernel

cdef double LARGEST


cdef class RobotCoordinateKernel:
    cdef public MultiEffectorKernel tree
    cdef int count
    cdef object _held
    cdef int *joint
    cdef int *address
    cdef int *is_ball
    cdef double *zero
    cdef double *lower
    cdef double *upper
    cdef double *before
    cdef double *after
    cdef double *reach
    cdef double *origin
    cdef double *scratch

    cdef int set_pose(self, MultiEffectorKernel tree, double *qpos, long o) noexcept
    cdef void write_pose(self, MultiEffectorKernel tree, double *qpos, long o) noexcept
    cpdef int set_qpos(self, qpos)
    cpdef void write_qpos(self, qpos)
    cdef void solve_rows(
        self, MultiEffectorKernel tree, long count, long size, int iterations,
        int restarts, double tolerance, double orientation_tolerance,
        double posture_fraction, double *qpos, double *goals, double *errors, int *codes) noexcept
    cdef int aim(self, MultiEffectorKernel tree, double *goals, long o) noexcept
    cdef double gap(self, MultiEffectorKernel tree, double *goals, long o) noexcept
