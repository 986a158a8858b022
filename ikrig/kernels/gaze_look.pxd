cimport cython
from ikrig.kernels.angles cimport sin_cos
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.gaze cimport (
    BODY, EYES, FACING, FRAME, LEANT, PART, ROTATION, SINES, GazeKernel)
from ikrig.kernels.matrices cimport square_up
from ikrig.kernels.pose cimport net_of
from ikrig.kernels.spring_damper cimport SpeedLimitedSpring, Spring
from ikrig.kernels.vectors cimport (
    by_rows, copy, in_rows, moved, multiply, put, put4, rotated, three)
from libc.math cimport sqrt

cdef double CROSSED_COS, CROSSED_SIN, EYE_SPEED, LEAN_ANGLE, STRAIGHT
cdef int STATE


@cython.final
cdef class LookKernel(GazeKernel):
    cdef object _pinned_eyes
    cdef public double keep_motion
    cdef double eye_seconds
    cdef int head, eye_count, spine
    cdef double spine_part
    cdef Ints eye
    cdef Doubles middle
    # average and start direction of the head, in the body's frame
    cdef double mean_right, mean_ahead, mean_up, start_yaw, start_pitch
    # offset of the gaze's origin by the turn
    cdef double shift_x, shift_y, shift_z
    cdef SpeedLimitedSpring eye_gaze
    cdef bint eyes_active
    # the spine's turn of the next frame, and that of this one
    cdef Spring lean_yaw, lean_pitch
    cdef double leant_yaw, leant_pitch

    cpdef int set_eyes(self, object limits, double seconds) except -1
    cpdef int lean(self, double weight) except -1
    cdef void turn_spine(self, double weight) noexcept nogil
    cdef void turn_head(
        self, bint has_target, double factor, double seconds, double dt) noexcept nogil
    cdef void look(
        self, double x, double y, double z, bint has_target, double seconds,
        double speed, double weight, bint at_once, double dt) noexcept nogil
    cdef void load(self, Doubles row, long o) noexcept nogil
    cdef void store(self, Doubles row, long o) noexcept nogil
    cdef void forget_lean(self) noexcept nogil
    cdef (double, double, double) ahead(self) noexcept nogil
    cdef void set_look_point(self) noexcept nogil
    cdef void spread(
        self, int first, int last, double weights, double yaw, double pitch,
        double to_yaw, double to_pitch) noexcept nogil
    cdef void turn_eyes(
        self, double head_yaw, double head_pitch, bint has_target, double factor,
        double dt) noexcept nogil


cdef (double, double, double, double) level(
    Doubles work, double yaw, double pitch, double sign) noexcept nogil
cdef (double, double) crossed(double sine, double cosine, double size) noexcept nogil
