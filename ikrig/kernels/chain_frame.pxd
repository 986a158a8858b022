from ikrig.kernels.buffers cimport doubles
from ikrig.kernels.gap_closing cimport close_gap_bend, two_bone_close
from ikrig.kernels.initial_guess cimport InitialGuessKernel
from ikrig.kernels.quat_ops cimport conj_mul, mul, rotate_vec
from libc.math cimport atan2, sqrt


cdef class ChainFrameKernel(InitialGuessKernel):
    cdef public int iterations, used, case
    cdef public double error, orientation_error
    # the gap before the finish [scene unit]
    cdef public double left
    # the goal as passed in, before it is clamped to the reach
    cdef public double tx, ty, tz

    cpdef int solve(
        self, double gx, double gy, double gz, int use_pole, double px, double py,
        double pz, int use_tip, double dt) noexcept
    cpdef void aim_tip(self) noexcept
    cpdef void begin(
        self, double gx, double gy, double gz, int use_pole, double px, double py,
        double pz) noexcept
    cpdef int finish(self, int use_tip, double dt) noexcept
    cpdef int sound(self) noexcept
    cpdef void start_over(self, int use_tip) noexcept
    cpdef void update_directions(self) noexcept
    cpdef int set_rotations(self, rotations) except -1
    cpdef void continue_from_solved(self) noexcept
    cpdef void commit(self) noexcept
    cpdef void evaluate(self, int use_tip) noexcept
    cdef int iterate(self) noexcept nogil
    cdef void sweep(self) noexcept nogil
    cpdef void close(self) noexcept
    cdef void close_gap(self) noexcept nogil
    cdef int is_sound(self) noexcept nogil
    cdef void aim_bones(
        self, double gx, double gy, double gz, int use_pole, double px, double py,
        double pz) noexcept nogil
    cdef void set_goal(
        self, double gx, double gy, double gz, int use_pole, double px, double py,
        double pz) noexcept nogil
    cdef void straighten(self) noexcept nogil
