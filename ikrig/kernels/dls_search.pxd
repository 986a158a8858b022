from ikrig.kernels.buffers cimport Doubles, doubles
from ikrig.kernels.dls_step cimport DlsStepKernel
from ikrig.kernels.quat_ops cimport rotation_vector
from libc.math cimport floor

cdef double LONGEST, FAINT, FAINTER, MODULUS
cdef int RESTART, POLISH, SAMPLES, MOST_SAMPLES, FEW_SAMPLES


cdef class DlsSearchKernel(DlsStepKernel):
    cdef public double seed, strength
    cdef public int stuck, tried, uncounted
    cdef Doubles first_value, first_q, last_goal, last_rotation

    cpdef double goal_change(self) noexcept
    cpdef int iterate(
        self, int iterations, double tolerance, double orientation_tolerance,
        double fine, double patience) noexcept
    cpdef int search(
        self, int iterations, double tolerance, double orientation_tolerance, double fine,
        int restarts) noexcept
    cpdef int reached(self, double tolerance, double orientation_tolerance) noexcept
    cdef double random(self) noexcept
    cdef void scatter_pose(self) noexcept
    cdef void scatter_joints(self) noexcept
    cdef void weigh_rotations(self, double factor) noexcept
