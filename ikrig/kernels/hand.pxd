from ikrig.kernels.vectors cimport (
    between, by_rows, copy, dot, moved, multiply, norm, norm3, put, put4, rotated, three)
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.pose cimport PoseKernel
from ikrig.kernels.quat_ops cimport about
from libc.math cimport sqrt

cdef int JOINT, STRAIGHT, FULL, SPREAD, OPPOSE, OPPOSED, SPHERE, SHAPE, STEPS, OPPOSITIONS, SPREADS
cdef int BALL, CAPSULE, BOX, TRIANGLE, PLANE
cdef double PAD, SOFT, OPEN, CLOSED, TOUCH, STEP, FAR


cdef class HandKernel:
    cdef PoseKernel figure
    cdef object _pinned
    cdef int n, fingers, sphere_count, things
    # offsets in the work
    cdef int first, held, net
    cdef Ints joint, start
    cdef Doubles shape, sphere, wanted, work, thing
    cdef double time, seconds, former
    cdef public double shown
    cdef readonly double share
    cdef public bint holds
    # which fingers touch, a bit for each
    cdef readonly int contacts
    # last results of ``measure``
    cdef int touched
    cdef double gap, stop, tip, deep

    cpdef int glide(self, double seconds) except -1
    cpdef int hold(self, object values) except -1
    cdef void set_angles(self, int k, int to, Doubles value, int v) noexcept
    cpdef int release(self) except -1
    cpdef int step(self, double weight, double dt) except -1
    cdef void write(self, int k, double weight) noexcept
    cdef void turn(self, int k) noexcept
    cpdef int close(self, object shapes, int count) except -1
    cdef double score(self, int f, int bones) noexcept
    cdef int close_finger(self, int f, double spread, double oppose) noexcept
    cdef void curl(self, int f, int moving, double curl) noexcept
    cdef void into(self, int i, Doubles net, int p) noexcept
    cdef void measure(self, int f, int moving) noexcept


cpdef int gaps(object shapes, int count, object points, object found) except -1
cdef double distance(Doubles shape, int o, double x, double y, double z) noexcept
cdef double triangle_distance(
    Doubles shape, int o, double x, double y, double z) noexcept
