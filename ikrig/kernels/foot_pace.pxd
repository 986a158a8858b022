cimport cython
from ikrig.kernels.sole cimport Sole
from libc.math cimport exp, sqrt

cdef double MEAN_SECONDS, STIRS, WALK_SPEED, RESTS


@cython.final
cdef class FootPace:
    cdef readonly Sole sole
    cdef int has_mean
    cdef double last_x, last_y
    cdef public double mean_x, mean_y, speed_x, speed_y
    cdef public double figure_x, figure_y, figure_speed, relative_speed, still
    cdef public double figure_turn, mean_turn, spin_x, spin_y
    cdef double arm_x, arm_y

    cpdef void reset(self) noexcept nogil
    cdef void end_piece(self) noexcept nogil
    cdef void measure(
        self, double x, double y, double arm_x, double arm_y, double moved_x,
        double moved_y, double yaw, double dt) noexcept nogil
    cdef double over_ground(self) noexcept nogil
    cdef int rests(self) noexcept nogil
    cdef int walks(self) noexcept nogil
    cdef int stirs(self) noexcept nogil
