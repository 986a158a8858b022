from ikrig.kernels.foot_pose cimport TURN, FootPoseKernel, fall
from libc.math cimport acos, atan2, cos, sin, sqrt

cdef double MAX_EXTENSION, MAX_PULL, MIN_FOLD, POLE_NEAR, POLE_CLEAR
cdef double MAX_BEND_SPEED, MAX_SWING_SPEED

cdef double knee_angle(double length, double thigh, double shin) noexcept


cdef class FootReachKernel(FootPoseKernel):
    cpdef double max_reach(self) noexcept
    cpdef double hip_height(self, double fraction) noexcept
    cpdef double max_hip_rise(self) noexcept
    cpdef double min_hip_rise(self) noexcept
    cpdef double bend(self, double up, double thigh, double shin, double dt) noexcept
    cpdef void swing(self, double fraction, double up, double dt) noexcept
    cpdef void rotate_pole(self, double x, double y, double z, double up) noexcept
    cpdef void limit_offset(self, double up) noexcept
