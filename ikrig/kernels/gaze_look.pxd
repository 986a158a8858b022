from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.gaze cimport (
    BODY, EYES, FACING, HEAD, INVERSE, PART, PI, ROTATION, GazeKernel)
from ikrig.kernels.quat_ops cimport mul
from ikrig.kernels.spring_damper cimport SpeedLimitedSpring
from libc.math cimport sqrt

cdef double CROSSED, EYE_SPEED


cdef class LookKernel(GazeKernel):
    cdef object _pinned_eyes
    cdef public double keep_motion
    cdef double eye_seconds
    cdef int head, eye_count
    cdef Ints eye
    cdef Doubles middle
    # average and start direction of the head, in the body's frame
    cdef double mean_right, mean_ahead, mean_up, start_yaw, start_pitch
    # offset of the gaze's origin by the turn
    cdef double shift_x, shift_y, shift_z
    cdef SpeedLimitedSpring eye_gaze
    cdef bint eyes_active

    cpdef int set_eyes(self, object limits, double seconds) except -1
    cdef void set_ahead(self, int facing, int joint) noexcept
    cdef void set_look_point(self) noexcept
    cdef int turn_eyes(
        self, double head_yaw, double head_pitch, bint has_target, double factor,
        double dt) except -1
