from ikrig.kernels.vectors cimport between, cross, less, norm3, rotated
from ikrig.kernels.bend_sides cimport (
    HAIR_BEND, SLIGHT_BEND, WRONG_BEND, add_pole, add_slight_bend, off_line)
from ikrig.kernels.codes cimport FIXED, SLIDE
from ikrig.kernels.joints cimport JointKernel
from ikrig.kernels.quat_ops cimport about, mul
from libc.math cimport atan2, sqrt

cpdef void swing(
    JointKernel joints, int e, int b, double px, double py, double pz, bint keep, double nx,
    double ny, double nz) noexcept
cpdef int fold(
    JointKernel joints, int e, int b, double straight, double nx, double ny, double nz) noexcept
cdef bint try_fold(
    JointKernel joints, int b, int mid, int j, double near, double far,
    double ux, double uy, double uz) noexcept
cdef double half_angle(double a, double b, double c) noexcept
cdef bint try_swing(
    JointKernel joints, int b, int j, bint keep, double half, double cx, double cy, double cz
) noexcept
cdef bint set_swung_rotation(
    JointKernel joints, int j, double half, double cx, double cy, double cz) noexcept
