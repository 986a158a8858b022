from ikrig.kernels.joint_coordinates cimport FULL_TURN, PI
from ikrig.kernels.quat_ops cimport conj_mul, data, mul, rotate_vec, scale_rotation
from ikrig.kernels.segments cimport eliminate, linearise_segments, predict, substitute
from libc.math cimport atan2, floor, sqrt
from ikrig.kernels.dls_search cimport DlsSearchKernel

cdef double WIDEST, CLOSE, LEAST_GAIN, LIGHTEST, DAMPING
cdef int STEPS, CLOSINGS


cdef class DlsPostureKernel(DlsSearchKernel):
    # 1 while the pose still moves to the posture
    cdef public int settling
    cdef double *posture
    cdef double *posture_weight
    cdef double *target_value
    cdef double *target_q
    cdef double *to_posture
    cdef double *settled_value
    cdef double *settled_q
    cdef double *kept_residual
    cdef double *wanted
    cdef double *ease

    cpdef void settle(
        self, double fraction, double tolerance, double orientation_tolerance) noexcept
    cdef int holds(
        self, int arrived, double cost, double most, double near, double turned) noexcept
    cdef void store_settled(self) noexcept
    cdef void restore_settled(self) noexcept
    cdef void aim_posture(self, double fraction) noexcept
    cdef double measure_to_posture(self) noexcept
    cdef void posture_step(self, double part) noexcept
