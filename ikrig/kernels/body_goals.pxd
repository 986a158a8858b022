cimport cython
from libc.math cimport sqrt
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.node_frame cimport NodeReader
from ikrig.kernels.quat_ops cimport mul, rotate_row, rotation_vector, unit
from ikrig.kernels.vectors cimport (
    add3, add_to, between, copy, cross, distance, put, three)

cdef int NOW, LOCAL, OFFSET, ROTATION, PLACE, ANGLES, START, FOUND, HAD, STARTED
cdef int GOAL, TURN, WEIGHT, TURN_WEIGHT, STRENGTH, POLE, POLED, HELD, HELD_TURN
cdef int LAST, MISSED, REACHING, KEPT
cdef double EXACT, CLOSE, LOWERS, BACK, TILTS, BALANCE, BOWS, CROUCHES, DEEP, SOON, HIGH
cdef double BESIDE, STRETCHED, MOST_TILT


@cython.final
cdef class BodyGoals:
    cdef object _pinned, mat
    cdef float[::1] numbers
    cdef int count, limb_count, derived
    cdef Ints end, limb, carrier
    cdef Doubles settings, now, goal
    cdef double[64] work

    cpdef int take(self, int g, object reader) except -1
    cpdef int take_pole(self, int g, object reader) except -1
    cpdef void pin(self, int g) noexcept nogil
    cpdef void crouch(
        self, int hips, bint led, double led_by, double x, double y,
        double z) noexcept nogil
    cdef void carry(self, int g) noexcept nogil
    cdef void mark_missed(self) noexcept nogil
