cimport cython
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.matrices cimport from_rows, square_up
from ikrig.kernels.pose cimport PoseKernel
from ikrig.kernels.quat_ops cimport from_to, mul, rotate_vec, scale_rotation
from libc.math cimport sqrt

cdef double STEP, LONGEST, NOTHING, LEAP, TURNED, STEADY, RESIZED
cdef int JOINT, ABOVE, BASE, CENTER, FIRST, LAST, LIMIT, WHOLE
cdef int TAIL, STIFFNESS, GRAVITY, KEPT, HIT, LENGTH, REACH, AXES, ANGLES, NUMBERS
cdef int CONE, HINGE, SPHERICAL
cdef int SPHERE, CAPSULE, PLANE, INSIDE_SPHERE, INSIDE_CAPSULE, SHAPE, PLACED
cdef int THEN, NOW, AT, BEFORE, EARLIER, TURN, COSINE, FRAME
cdef int STATE, KEEP, AHEAD, SHOW, CARRY, SQUARE, FROM, PART, SCRATCH


ctypedef float *Floats
cdef Floats floats(float[::1] values) noexcept


@cython.final
cdef class SpringKernel:
    cdef PoseKernel pose
    cdef object _pinned
    cdef float[::1] given
    cdef readonly int count, frames, colliders
    # the pose's matrices, of this frame
    cdef Floats local
    cdef Ints source, table, touch, kind
    cdef Doubles figure, shape, work
    # where things are in the workspace
    cdef int world, frame0, placed, scratch
    # the wind, and the end of a bone from its joint
    cdef double wx, wy, wz, nx, ny, nz
    # time since the last step, and that of the last frame
    cdef readonly double ahead, last
    cdef bint is_set

    cpdef void reset(self) noexcept
    cpdef void set_wind(self, double x, double y, double z) noexcept
    cpdef tuple tail(self, int i)
    cpdef int swing(self, double dt, double weight) except -1
    cdef bint read(self) noexcept
    cdef bint leaps(self, double dt) noexcept
    cdef double size(self, int o) noexcept
    cdef void find_turns(self) noexcept
    cdef void place(self, double u) noexcept
    cdef void place_normal(
        self, int o, int p, double x, double y, double z) noexcept
    cdef void go_on(self, bint moves) noexcept
    cdef void carry(self) noexcept
    cdef bint transform(self, int a, int b) noexcept
    cdef void move_tail(self, int o, bint is_point) noexcept
    cdef void move_frame(self, int o) noexcept
    cdef void settle(self) noexcept
    cdef int stand(self, int i) noexcept
    cdef void step(self, int what, double part, bint writes, double weight) noexcept
    cdef void stretch(
        self, double length, double ux, double uy, double uz) noexcept
    cdef void set_still(self) noexcept
    cdef void limit(self, int i, double length) noexcept
    cdef void collide(
        self, int i, double length, double size, double hx, double hy, double hz,
        double ux, double uy, double uz) noexcept
    cdef void write(self, int j, int o, int p) noexcept
    cdef void note(self) noexcept
