cdef class ChainKernel:
    cdef public int n, iterations, used, case, out_of_reach
    # what the chain is (see ChainKernel.__init__)
    cdef public double reach, dead_zone
    cdef public int longest
    cdef double *length
    cdef double *rest
    cdef double *rest_dir
    cdef double *rest_rot
    cdef double *mirror
    cdef double *frame
    # settings
    cdef public double tolerance, weight, soften, snap_back, stretch, max_step, twist_spread
    # the pose: positions from the root joint, directions, rotations
    cdef double *pos
    cdef double *old
    cdef double *dir
    cdef double *delta
    cdef double *wanted
    cdef double *tip
    cdef double *rot
    cdef double *local
    cdef double *scratch
    cdef object _buffers
    # this frame's goal, its direction and the bend; the last frame's
    cdef public double gx, gy, gz, cx, cy, cz, bx, by, bz
    cdef public double error, lengthening

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
    cdef void close(self, int flat) noexcept
    cdef void lay_out(self) noexcept
    cdef void turn(self, int use_tip) noexcept
    cdef void spread_twist(self) noexcept
    cdef int hold_back(self, double dt) noexcept
    cpdef void write(self) noexcept
