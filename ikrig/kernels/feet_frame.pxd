cimport cython
from ikrig.kernels.actor_frame cimport (
    GOAL, GOAL_POLE, GOAL_POLED, GOAL_TURN, GOAL_TURNED, GOAL_WEIGHT)
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.foot_ground cimport GroundKernel
from ikrig.kernels.foot_pose cimport ANKLE, HEADING, HIP, LEG, ORIGIN, RISE, SOLE, fall
from ikrig.kernels.foot_step cimport FootStepKernel
from ikrig.kernels.matrices cimport from_rows, square_up
from ikrig.kernels.pelvis cimport PelvisKernel
from libc.math cimport atan2, sqrt

cdef double STRAIGHT_BEND, CLEAR_BEND


cdef class FeetKernel:
    cdef public list feet, poses, bodies
    cdef object _pinned, _nets
    cdef int count, extra, scratch, has_read
    cdef float[::1] mats
    cdef float[::1] world
    cdef Ints parent, layout
    cdef Doubles point, goal, pole, net

    cpdef void reset(self)
    cpdef double read(self) except? -9
    @cython.locals(i=int, x=double, y=double, z=double, mx=double, my=double, mz=double)
    cdef void set_knee_pole(self, int f, int j, double leg)
    cdef double heading(self, int f, int j, double heading) noexcept
    cpdef void step(self, GroundKernel ground, int pieces, double hips_seconds, double dt)
    cdef void step_on_the_spot(self)
    cpdef int pass_goals(self, object numbers, double weight) except -1
    cpdef void finish(self, ups, double dt)
