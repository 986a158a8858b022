from ikrig.kernels.foot_pose cimport FootPoseKernel

cdef double STRAIGHT, SINK, FOLD, CLOSE, CLEAR, BEND, SWING

cdef double knee_angle(double length, double thigh, double shin) noexcept


cdef class FootReachKernel(FootPoseKernel):
    cpdef double longest(self) noexcept
    cpdef double hip_height(self, double held) noexcept
    cpdef double highest_hip(self) noexcept
    cpdef double lowest_hip(self) noexcept
    cpdef double bend(self, double up, double thigh, double shin, double dt) noexcept
    cpdef void swing(self, double fraction, double up, double dt) noexcept
    cpdef void rotate_pole(self, double x, double y, double z, double up) noexcept
    cpdef void limit_offset(self, double up) noexcept
