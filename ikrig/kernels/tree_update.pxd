from ikrig.kernels.frame_part cimport FrameUpdate
from ikrig.kernels.joints cimport JointKernel
from ikrig.kernels.node_frame cimport BonePose, Goal


cdef class TreeUpdate(FrameUpdate):
    cdef BonePose pose
    cdef list goals, weights, turning
    cdef object effectors, solver, settings, invalid
    cdef JointKernel kernel
    cdef bint plain, poled
    # this frame
    cdef public bint unchanged, posed, weighed
    cdef tuple origin

    cpdef object step(self, object rig, object settings, double dt)
    cdef bint is_uneven(self)
    cdef bint read(self) except -1
    cdef object solve(self, object settings, double dt)
