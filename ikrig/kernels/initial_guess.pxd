from ikrig.kernels.bend_sides cimport SLIGHT_BEND, WRONG_BEND, add_pole, add_slight_bend
from ikrig.kernels.bone_rotations cimport BoneRotationKernel
from ikrig.kernels.quat_ops cimport from_to, mul, rotate_vec
from libc.math cimport atan2, cos, exp, sin, sqrt


cdef double OUTWARDS


cdef class InitialGuessKernel(BoneRotationKernel):
    cdef public int out_of_reach, choose_start, posed
    cdef public double farther, tolerance, soften, snap_back, stretch
    # this frame's goal, its direction and the bend's direction
    cdef public double gx, gy, gz, cx, cy, cz, bx, by, bz

    cpdef void store_bend(self) noexcept
    cdef int classify_goal(self, double gx, double gy, double gz) noexcept nogil
    cdef void find_bend(
        self, int use_pole, double px, double py, double pz, double ox, double oy,
        double oz) noexcept nogil
    cdef void find_swing(self) noexcept nogil
    cdef void swing_to_bend(self, double x, double y, double z) noexcept nogil
    cpdef void guess(self, int flat) noexcept
    cdef void make_guess(self, int flat) noexcept nogil
    cdef void flatten(self) noexcept nogil
    cdef void sort_into_arc(self) noexcept nogil
    cdef void aim(self) noexcept nogil
    cdef void forward_positions(self) noexcept nogil
