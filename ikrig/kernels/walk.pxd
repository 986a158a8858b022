cimport cython
from ikrig.kernels.buffers cimport Doubles, Floats, Ints, doubles, floats, ints, pin
from ikrig.kernels.clip_paces cimport PACE_SECONDS, PACED, follow_clips
from ikrig.kernels.foot cimport Foot
from ikrig.kernels.pose cimport PoseKernel
from ikrig.kernels.spring_damper cimport Spring
from libc.math cimport atan2, cos, exp, sin, sqrt

cdef int CLIP, FACTORS, ROW, STATE, TURN
cdef double LEAP, STANDS, LATEST, FLIPS, MOST
cdef double STEEPEST, STEPS, SLOWEST, FASTEST, ROUND, PI


@cython.final
cdef class WalkKernel:
    cdef list _pinned
    cdef int feet, slots
    cdef Doubles frame, state, clips, rows, time, weight, paced
    cdef Floats world
    cdef Ints clip
    cdef double leg
    cdef readonly double moved_x, moved_y, climb, own_x, own_y, share, strides

    cpdef void reset(self, int i) noexcept nogil
    cdef void load(self, int i) noexcept nogil
    cpdef void step(self, int i, double dt) noexcept nogil
    cdef void measure(self, int i, double dt) noexcept nogil
    cdef bint walks(self, int c) noexcept nogil
    cpdef bint moves(self) noexcept nogil
    cdef double pace(self) noexcept nogil
    cdef void lead(self, int i, double flat, Doubles out) noexcept nogil
    cdef double planned(self, int i, int what, double factor, bint now) noexcept nogil
    cdef double way(self, double x, double y, Doubles out, int o) noexcept nogil


@cython.final
cdef class TurnKernel:
    cdef PoseKernel figure
    cdef WalkKernel walk
    cdef Spring spring
    cdef object _pinned
    cdef int count
    cdef Ints joints
    cdef Doubles parts, middle, state
    cdef readonly double angle, pace
    cdef double goal

    cpdef void reset(self, int i) noexcept nogil
    cpdef bint backwards(self, int i) noexcept nogil
    cdef void follow(
        self, int i, double wanted, double seconds, double most, double dt) noexcept nogil
    cpdef void heads(
        self, int i, double most, double seconds, double weight, double dt) noexcept nogil
    cpdef void leans(
        self, int i, double uphill, double downhill, double seconds, double weight,
        double dt) noexcept nogil
    cdef void rotate(self, double angle, double x, double y, double z) noexcept nogil
    cpdef int tell(self, list feet, double weight) except -1
    cdef void tell_foot(self, Foot foot, double weight) noexcept nogil
    cdef double angle_in(self, double seconds) noexcept nogil
