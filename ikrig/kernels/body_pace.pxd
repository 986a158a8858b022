cimport cython
from ikrig.kernels.body_goals cimport (
    GOAL, LAST, LOCAL, NOW, PLACE, ROTATION, START, STARTED, TURN, TURN_WEIGHT,
    WEIGHT, BodyGoals)
from ikrig.kernels.buffers cimport Doubles, doubles, pin
from ikrig.kernels.quat_ops cimport conj_mul, mul, scale_rotation
from ikrig.kernels.vectors cimport distance

cdef int STATE
cdef double FREE, LED, LED_TURN, LED_WEIGHT, FREE_WAY, LED_WAY, FADING


@cython.final
cdef class BodyPace:
    cdef object _pinned
    cdef BodyGoals goals
    cdef int count
    cdef double budget, angle, way
    cdef Doubles state

    cdef void begin(self, double dt) noexcept nogil
    cdef double excess(self) noexcept nogil
