cimport cython
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.foot cimport Foot
from ikrig.kernels.pose cimport PoseKernel
from ikrig.kernels.quat_ops cimport from_to, mul, mul_conj, rotate_vec
from ikrig.kernels.spring_damper cimport Spring
from ikrig.kernels.walk cimport STANDS, WalkKernel
from ikrig.kernels.vectors cimport add_to, between, by_rows, cross, norm3, put
from libc.math cimport acos, atan2, cos, exp, sin, sqrt

cdef int LEG, STATE, FIGURE
cdef double STRAIGHT, STRAIGHTEST, PEEL, LOWEST, FREE, EASE, STEEP, SWINGS, LEAVES
cdef double SLIGHT, FOLDED, PASSES, TURNS, PI


@cython.final
cdef class StrideKernel:
    cdef PoseKernel figure
    cdef WalkKernel walk
    cdef Spring spring
    cdef object _pinned
    cdef int count, hips
    cdef Ints joints, toes, ends
    cdef Doubles shape, frame, leads, state, numbers
    cdef readonly double factor

    cpdef void reset(self, int i) noexcept nogil
    cdef double follow(self, int o, double wanted, double seconds, double dt) noexcept nogil
    cdef double ask(self, int i, double low, double high, double turned) noexcept nogil
    cpdef void step(
        self, int i, double low, double high, double seconds, double turned,
        double weight, double dt) noexcept nogil
    cdef double turn_leads(self, double x, double y, double turned) noexcept nogil
    cpdef int tell(self, int i, list feet, double weight) except -1
    cdef void tell_foot(self, int i, int k, Foot foot, double weight) noexcept nogil
    cdef void lead(self, double more, double flat) noexcept nogil
    cdef void pass_hip(self, int s, double room) noexcept nogil
    cdef void pitch(self, int s, double angle) noexcept nogil
    cdef void turn(self, int s, double angle) noexcept nogil
    cdef double within(
        self, int s, double x, double y, double z, double wanted) noexcept nogil
    cdef void place(self, int i, double drop, double heel) noexcept nogil
    cdef void reach(self, int i, double weight) noexcept nogil
    cdef void swing(
        self, double ax, double ay, double az, double bx, double by,
        double bz) noexcept nogil
