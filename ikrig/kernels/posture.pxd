from ikrig.kernels.vectors cimport put, rotated, three
from ikrig.kernels.buffers cimport Doubles, doubles, pin
from ikrig.kernels.damped_steps cimport eliminate, linearise_segments, predict, substitute
from ikrig.kernels.jacobian cimport advance, longest_rotation, set_columns, set_edge_normal
from ikrig.kernels.codes cimport AXES, BALL, CONE, RANGED, SLIDE
from ikrig.kernels.joints cimport FULL_TURN, PI, JointKernel, StoredPose, stored
from ikrig.kernels.quat_ops cimport conj_mul, log_rotation, mul, mul_conj, scale_rotation
from libc.math cimport floor, sqrt

cdef double WIDEST, CLOSE, LEAST_GAIN, LIGHTEST, DAMPING
cdef int STEPS, CLOSINGS


cdef class Posture:
    cdef JointKernel joints
    cdef object _pinned
    # 1 while the pose still moves to the posture
    cdef public int settling
    cdef StoredPose target_pose, settled_pose
    cdef Doubles posture, posture_weight, to_posture
    cdef Doubles kept_residual, wanted, ease

    cpdef void settle(
        self, double fraction, double tolerance, double orientation_tolerance) noexcept
    cdef int holds(
        self, int arrived, double cost, double most, double near, double turned) noexcept
    cdef void aim_posture(self, double fraction) noexcept
    cdef double measure_to_posture(self) noexcept
    cdef void posture_step(self, double part) noexcept
