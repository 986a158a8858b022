from ikrig.kernels.pose cimport PoseKernel


cdef class ChainKernel(PoseKernel):
    cdef public int iterations, used, case, out_of_reach, longest
    cdef public double dead_zone, tolerance, soften, snap_back, stretch, error
    # this frame's goal, its direction and the direction of the bend
    cdef public double gx, gy, gz, cx, cy, cz, bx, by, bz

    cpdef int solve(
        self, double gx, double gy, double gz, int use_pole, double px, double py,
        double pz, int use_tip, double dt) noexcept
    cdef int iterate(self) noexcept
    cdef int place(self, double gx, double gy, double gz) noexcept
    cdef void find_bend(
        self, int use_pole, double px, double py, double pz, double ox, double oy,
        double oz) noexcept
    cdef void guess(self, int flat) noexcept
    cdef void flatten(self) noexcept
    cdef void arch(self) noexcept
    cdef void aim(self) noexcept
    cdef void unfold(self) noexcept
    cdef void close(self) noexcept
    cdef void lay_out(self) noexcept
