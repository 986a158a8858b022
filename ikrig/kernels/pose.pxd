from ikrig.kernels.vectors cimport between, by_rows, cross, norm3, put, put4, three
from ikrig.kernels.buffers cimport Doubles, Floats, Ints, doubles, floats, ints, pin
from ikrig.kernels.matrices cimport adjugate, set_identity
from ikrig.kernels.quat_ops cimport from_to, scale_rotation
from libc.math cimport acos, cos, exp, sin

cdef double FOLDED, EASES, FULLY, BENT
cdef int AHEAD, BISECTIONS


cdef class PoseKernel:
    cdef readonly int n, size
    cdef int known
    cdef public long changes
    cdef public bint animated, lags
    cdef object _held
    # the matrices, 16 numbers each
    cdef Floats pointer, rest
    cdef Ints parent, mark
    cdef Doubles net

    cpdef int use(
        self, object parents, object numbers, object rest, object net,
        object marks) except -1
    cpdef void note_all(self) noexcept
    cpdef void note(self, int j) noexcept
    cpdef void reset(self, int first, int last) noexcept
    cdef void renew(self) noexcept nogil
    cdef void spoil(self, int j) noexcept nogil
    cdef long at(self, int j) noexcept nogil
    cdef void follow(self, int j) noexcept nogil
    cdef void turn(self, int j, double w, double x, double y, double z) noexcept nogil
    cdef void set_axes(self, int j) noexcept nogil
    cdef void set_mark(self, int j, int mark) noexcept nogil
    cdef bint enter_axes(self, int j, long o) noexcept nogil
    cdef void catch_up(self, int j) noexcept nogil
    cdef void catch_up_all(self) noexcept nogil
    cpdef void rotate(self, int j, double w, double x, double y, double z) noexcept
    cpdef void move(self, int j, double x, double y, double z) noexcept
    cpdef void shift(self, int j, double x, double y, double z) noexcept
    cdef void push(self, int j, double x, double y, double z) noexcept nogil
    cdef void slide(self, int j, double x, double y, double z) noexcept nogil
    cpdef void fold(self, list joints, double x, double y, double z, double part)
    cdef void bend(
        self, int a, int b, int c, int d, double x, double y, double z,
        double part) noexcept nogil
    cpdef tuple place(self, int j)
    cpdef list net_rows(self, int j)
    cpdef int show(self, list joints, list nodes, object make, object mats) except -1


cdef double folded(double angle, double own) noexcept nogil
cdef bint write_axes(
    Floats mats, long m, Doubles net, long o, long t, double size) noexcept nogil
cpdef int write_channels(list channels, list joints, object mats) except -1
cdef void part_from_to(
    Doubles out, int o, double ax, double ay, double az, double bx, double by,
    double bz, double part) noexcept nogil

cdef inline long net_of(PoseKernel pose, int j) noexcept nogil:
    if pose.mark[j] == 0:
        pose.follow(j)
    return 12 * j
