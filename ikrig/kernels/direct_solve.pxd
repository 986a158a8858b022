from ikrig.kernels.chain cimport ChainKernel
from ikrig.kernels.codes cimport BY_STEP, NOT_FINITE


cdef class DirectSolve:
    cdef public ChainKernel kernel
    cdef public bint unchanged
    cdef public object settings
    cdef public double x, y, z
    cdef object result_type, make
    cdef object converged, stalled, unreachable, out_of_iterations
    cdef str bad_numbers

    cpdef object solve(
        self, double gx, double gy, double gz, bint use_pole, double px, double py,
        double pz, bint use_tip, double dt)
    cpdef object result(self, int held, bint stalled, int uncounted)
