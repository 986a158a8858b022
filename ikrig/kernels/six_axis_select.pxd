from ikrig.kernels.buffers cimport doubles, ints
from ikrig.kernels.six_axis_branches cimport SixAxisKernel
from libc.math cimport ceil, cos, floor

cdef double TAU, SLACK, HUGE
cdef int OUT_OF_REACH, BLOCKED, JUMP, INVALID, WRONG_SHAPE


cdef class SixAxisSelector(SixAxisKernel):
    cdef public int blocked
    cdef public double tolerance

    cdef int pick(self, int kept, double max_step) noexcept
    cdef int wrap_into_limits(self, int row, int rotations) noexcept
    cdef int move_roll_to_joint_4(self, int row, int bits) noexcept
    cpdef int pick_one(
        self, const double[:] position, const double[:, :] rotation,
        const double[:] near) noexcept
    cpdef void pick_many(
        self, int n, double[::1] poses, double[::1] near, double[::1] q,
        int[::1] codes) noexcept
    cpdef int follow(
        self, int n, double[::1] poses, double max_step, double[::1] q, int[::1] codes
    ) noexcept
