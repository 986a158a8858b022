from ikrig.kernels.actor_frame cimport GOAL as FOOT_GOAL, GOAL_TURN, GOAL_TURNED, GOAL_WEIGHT
from ikrig.kernels.body cimport BodyKernel
from ikrig.kernels.body_goals cimport GOAL, REACHING, STRENGTH, TURN, TURN_WEIGHT, WEIGHT
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints
from ikrig.kernels.crowd cimport BODY, FEET
from ikrig.kernels.crowd_layers cimport CrowdState
from ikrig.kernels.quat_ops cimport unit
from ikrig.kernels.vectors cimport put, put4

cdef double PINNED
cdef int ROUNDS


cdef class CrowdBody(CrowdState):
    cdef BodyKernel kernel
    cdef int count, end_count, hips
    cdef Doubles target, part, goal, placed, grounded
    cdef Ints pinned, arm, trunk, foot
    cdef bint on_feet

    cdef void run(self, int i, double dt, int layers) noexcept nogil
    cdef bint is_sound(self, int i) noexcept nogil
    cdef void reset(self, int i, long o) noexcept nogil
    cdef void act(self, int i, long o, double weight, double dt) noexcept nogil
    cdef double lead(self, int i) noexcept nogil
    cdef void place_foot(self, int g) noexcept nogil
