from ikrig.kernels.chain_frame cimport ChainFrameKernel


cdef class DirectSolve:
    cdef public ChainFrameKernel kernel
    cdef public bint unchanged
    cdef object result_type, make
    cdef object converged, stalled, unreachable, out_of_iterations
    cdef str bad_numbers

    cpdef object solve(
        self, double gx, double gy, double gz, bint use_pole, double px, double py,
        double pz, bint use_tip, double dt)


cdef class NodeReader:
    cdef object path, node, root, relative, inside
    cdef public object state
    cdef bint near, rooted

    cdef object read(self)


cdef class ChainUpdate:
    cdef int n, turn
    # the bones
    cdef object root
    cdef list nodes, bones, parents, states
    # target and pole
    cdef object first_above, offset
    cdef NodeReader target, pole
    cdef double *inverse
    cdef object matrix
    cdef float[::1] numbers
    cdef double[::1] trs
    cdef double lw, lx, ly, lz
    # the solver
    cdef object solver, settings
    cdef DirectSolve direct
    cdef ChainFrameKernel kernel
    cdef bint sliding, stretched, went
    # this frame
    cdef public bint unchanged, posed
    cdef bint turned, use_tip, use_pole
    cdef tuple origin
    cdef double rx, ry, rz
    cdef double gx, gy, gz, tw, tx, ty, tz, px, py, pz

    cpdef object step(self, object rig, object settings, double dt)
    cdef bint touched(self) except -1
    cdef bint read_target(self, object rig) except -1
    cdef int take_state(self, object state) except -1
    cdef int take_goal(self, object goal, object rotation) except -1
    cdef bint read_pole(self, object rig) except -1
    cdef int take_origin(self, object origin) except -1
    cdef object solve(self, object rig, object settings, double dt)
    cdef int write(self, bint touched) except -1
