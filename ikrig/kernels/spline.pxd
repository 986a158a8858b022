from ikrig.kernels.vectors cimport (
    between, copy, distance, dot, less, norm, norm3, put, put4, three)
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.pose cimport PoseKernel
from ikrig.kernels.quat_ops cimport about, from_to, mul, mul_conj, rotate_row, scale_rotation
from libc.math cimport floor, sqrt

cdef int CUBIC, SAMPLE, WAS, BONE, BEFORE, DIRECTION, ALONG, PLACE, TURN, TWISTED, JOINT
cdef int POINT, SPEED, QUAT, OTHER, NORMAL, FIRST_NORMAL, LAST_NORMAL, SCRATCH
cdef int PARTS
cdef double NOTHING, SLOW


cdef class SplineKernel:
    cdef PoseKernel pose
    cdef object _pinned, _held
    cdef readonly int count, pieces
    cdef int per, scratch, side
    cdef bint closed, beyond
    cdef Ints joint
    cdef Doubles work, cubic, sample
    cdef readonly double length
    # where on the curve the last joint is
    cdef double here

    cpdef int use_curve(
        self, int pieces, int per, bint closed, object cubics,
        object samples) except -1
    cpdef double through(self, double[::1] points) except? -1
    cdef double knot(self, int i, int j) noexcept
    cpdef double bezier(self, double[::1] points) except? -1
    cdef double measure(self) noexcept
    cdef void at(self, int k, double t, int o, Doubles out) noexcept
    cdef double speed(self, int k, double t) noexcept
    cdef double arc(self, int k, double a, double b) noexcept
    cdef void point(self, double g, int o) noexcept
    cdef void tangent(self, bint first, int o) noexcept
    cdef double place_at(self, double length) noexcept
    cdef double lap(self, double length) noexcept
    cdef void point_along(self, double length, int o) noexcept
    cpdef tuple along(self, double length)
    cdef double read(self) noexcept
    cpdef double lay(
        self, double offset, double least, double most, bint stays) except? -1
    cdef double spread(
        self, double offset, double least, double most, bint stays,
        double total) noexcept
    cdef void walk(self, double offset, bint stays) noexcept
    cdef void next_place(self, int o, double bone) noexcept
    cdef double meet(self, int o, double bone, double low, double high) noexcept
    cdef void carry(self) noexcept
    cdef void find_normal(self) noexcept
    cdef void turn_to(self, int q, int a, int b, int normal) noexcept
    cpdef list ends(self)
    cpdef int write(self, double roll, double twist, double weight) except -1
    cdef bint stretched(self, int o) noexcept
    cdef void stretch(self, int k, double weight) noexcept
    cdef void shift(self, int k, int to, double weight) noexcept


cpdef int workspace_size(int joints)
