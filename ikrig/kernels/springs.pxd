from ikrig.kernels.vectors cimport (
    add3, by_rows, copy, dot, in_rows, moved, norm3, put, three)
cimport cython
from ikrig.kernels.buffers cimport Doubles, Floats, Ints, doubles, ints, pin
from ikrig.kernels.matrices cimport adjugate, from_rows, square_up
from ikrig.kernels.pose cimport PoseKernel, write_axes
from ikrig.kernels.quat_ops cimport from_to, mul, rotate_row, scale_rotation
from libc.math cimport sqrt

cdef double STEP, LONGEST, NOTHING, LEAP, TURNED, STEADY, RESIZED
cdef int JOINT, ABOVE, BASE, CENTER, FIRST, LAST, LIMIT, WHOLE
cdef int TAIL, STIFFNESS, GRAVITY, KEPT, HIT, LENGTH, REACH, AXES, ANGLES, NUMBERS
cdef int CONE, HINGE, SPHERICAL
cdef int SPHERE, CAPSULE, PLANE, INSIDE_SPHERE, INSIDE_CAPSULE, SHAPE, PLACED
cdef int THEN, NOW, AT, BEFORE, EARLIER, TURN, COSINE, FRAME
cdef int STATE, KEEP, AHEAD, SHOW, CARRY, SQUARE, FROM, PART, ADJUGATE, SCRATCH
cdef int IS_SET, SINCE, SIMULATED, LASTED, STATES

cdef Doubles from_index(Doubles values, long o) noexcept nogil


@cython.final
cdef class SpringKernel:
    cdef PoseKernel pose
    cdef object _pinned
    cdef float[::1] given
    cdef readonly int count, frames, colliders, size_of_state
    # the pose's matrices, of this frame
    cdef Floats local
    cdef Ints source, table, touch, kind
    cdef Doubles figure, shape, work
    # where things are in the workspace
    cdef int states, world, frame0, placed, scratch
    # the wind, and the end of a bone from its joint
    cdef double wx, wy, wz, nx, ny, nz

    cpdef void reset(self) noexcept
    cpdef void set_wind(self, double x, double y, double z) noexcept nogil
    cpdef tuple tail(self, int i)
    cpdef int swing(self, double dt, double weight) except -1 nogil
    cdef void go_to(self, Doubles workspaces, long o) noexcept nogil
    cdef bint read(self) noexcept nogil
    cdef bint leaps(self, double dt) noexcept nogil
    cdef double size(self, int o) noexcept nogil
    cdef void find_turns(self) noexcept nogil
    cdef void place(self, double u) noexcept nogil
    cdef void place_normal(
        self, int o, int p, double x, double y, double z) noexcept nogil
    cdef void go_on(self, bint moves) noexcept nogil
    cdef void carry(self) noexcept nogil
    cdef bint transform(self, int a, int b) noexcept nogil
    cdef void move_tail(self, int o, bint is_point) noexcept nogil
    cdef void move_frame(self, int o) noexcept nogil
    cdef void settle(self) noexcept nogil
    cdef int stand(self, int i) noexcept nogil
    cdef void step(
        self, int what, double part, bint writes, double weight) noexcept nogil
    cdef void stretch(
        self, double length, double ux, double uy, double uz) noexcept nogil
    cdef void set_still(self) noexcept nogil
    cdef void limit(self, int i, double length) noexcept nogil
    cdef void collide(
        self, int i, double length, double size, double hx, double hy, double hz,
        double ux, double uy, double uz) noexcept nogil
    cdef void write(self, int j, int o, int p) noexcept nogil
    cdef void note(self) noexcept nogil
