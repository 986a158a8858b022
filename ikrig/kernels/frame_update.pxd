from ikrig.kernels.vectors cimport put
from ikrig.kernels.chain cimport ChainKernel
from ikrig.kernels.direct_solve cimport DirectSolve
from ikrig.kernels.joints cimport JointKernel
from ikrig.kernels.node_frame cimport BonePose, Goal


cdef class FrameUpdate:
    cdef BonePose pose
    cdef object solver, settings
    cdef public bint unchanged, posed

    cpdef object step(self, object rig, object settings, double dt)
    cpdef bint rests(self, object settings) except -1
    cdef bint is_uneven(self)


cdef class ChainUpdate(FrameUpdate):
    cdef Goal goal
    # the solver
    cdef DirectSolve direct
    cdef ChainKernel kernel
    cdef object binding
    cdef bint animated, sliding, stretched
    # this frame
    cdef bint placed
    cdef double rx, ry, rz

    cpdef object step(self, object rig, object settings, double dt)
    cpdef bint rests(self, object settings) except -1
    cdef bint write(self, bint touched) except -1
    cdef int set_origin(self, double x, double y, double z) except -1
    cdef object solve(self, object rig, object settings, double dt)


cdef class TreeUpdate(FrameUpdate):
    cdef list goals, weights, turning
    cdef object effectors, invalid
    cdef JointKernel kernel
    cdef bint plain, poled
    # this frame
    cdef public bint weighed
    cdef tuple origin

    cpdef object step(self, object rig, object settings, double dt)
    cdef bint read(self) except -1
    cdef object solve(self, object settings, double dt)


cdef class FramePart:
    cdef public object _settings, _usual, _idle_since, _fading, _result, _update
    cdef public bint _started
    cdef public long _acted


cpdef int first_acting(list parts) except -1
cpdef int run_parts(list parts, int first, double dt, long frame) except -1
cpdef int resting_parts(list parts, long frame) except -1
