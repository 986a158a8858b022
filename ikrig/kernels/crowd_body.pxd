from ikrig.kernels.actor_frame cimport GOAL as FOOT_GOAL, GOAL_TURN, GOAL_TURNED, GOAL_WEIGHT
from ikrig.kernels.body cimport GOAL, REACHING, STRENGTH, TURN, TURN_WEIGHT, WEIGHT, BodyKernel
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.crowd cimport BODY, FEET
from ikrig.kernels.crowd_layers cimport CrowdPlaces
from ikrig.kernels.quat_ops cimport unit
from ikrig.kernels.vectors cimport put, put4

cdef double AWAY, PINNED
cdef int ROUNDS


cdef class CrowdBody(CrowdPlaces):
    cdef BodyKernel kernel
    cdef object _buffers
    cdef int count, end_count, hips, size_of_state
    cdef Doubles target, weight, whole, state, clock, goal, placed, grounded
    cdef Ints pinned, arm, trunk, foot
    cdef bint on_feet

    cdef void run(self, int i, double dt, int layers) noexcept nogil
    cdef bint is_sound(self, int i) noexcept nogil
    cdef void apply(self, int i, double dt) noexcept nogil
    cdef double lead(self, int i) noexcept nogil
    cdef void place_foot(self, int g) noexcept nogil
