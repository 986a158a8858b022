from ikrig.kernels.vectors cimport put
from ikrig.kernels.chain cimport ChainKernel
from ikrig.kernels.direct_solve cimport DirectSolve
from ikrig.kernels.frame_part cimport FrameUpdate
from ikrig.kernels.node_frame cimport BonePose, Goal


cdef class ChainUpdate(FrameUpdate):
    cdef BonePose pose
    cdef Goal goal
    # the solver
    cdef object solver, settings
    cdef DirectSolve direct
    cdef ChainKernel kernel
    cdef object binding
    cdef bint animated, sliding, stretched
    # this frame
    cdef public bint unchanged, posed
    cdef bint placed
    cdef double rx, ry, rz

    cpdef object step(self, object rig, object settings, double dt)
    cpdef bint rests(self, object settings) except -1
    cdef bint is_uneven(self)
    cdef bint write(self, bint touched) except -1
    cdef int set_origin(self, double x, double y, double z) except -1
    cdef object solve(self, object rig, object settings, double dt)
