from ikrig.kernels.angles cimport sin_cos
from ikrig.kernels.buffers cimport Doubles, Floats, Ints, doubles, floats, ints, pin
from ikrig.kernels.crowd_clips cimport CrowdClips
from ikrig.kernels.pose cimport AHEAD, PoseKernel
from libc.math cimport floor, sqrt

cdef int BLOCK
cdef double LARGEST
cdef int NEW, FULL, KEYS, LIMBS, FEET, LOOK, SPRINGS, BODY, WARPS, ALL
cdef int VIEW_EYE, VIEW_SCALE, VIEW_MARGIN, VIEW_EDGES, VIEW
cdef double LAG, FADE, FEWEST, GOLDEN


cdef class CrowdLayer:
    cdef public CrowdLayer next
    cdef int kind

    cdef int begin(self) except -1
    cdef bint are_sound(self, int i, int layers) noexcept nogil
    cdef bint is_sound(self, int i) noexcept nogil
    cdef void run(self, int i, double dt, int layers) noexcept nogil
    cdef void apply(self, int i, double dt) noexcept nogil


cdef class CrowdKernel:
    cdef PoseKernel figure
    cdef CrowdClips clips
    cdef int n, skin_count, row_size
    cdef readonly int level_count
    cdef double margin
    cdef object _pinned, _levels
    cdef public CrowdLayer first
    cdef Floats mats, nets, unbind, row, keys, baked
    cdef Doubles period, level_size, view, reach, since, span
    cdef Ints layers, detail, mode, shown, flip
    cdef Floats palette, joint_place, sphere
    cdef Doubles one, space, position, heading, facing, size
    cdef Ints skinned, bad, begun

    cpdef int run(self, object order, int count, double dt) except -1
    cdef void pose(self, int i, double dt) noexcept nogil
    cdef int choose(self, int i) noexcept nogil
    cdef void pose_at(self, int i, double dt, double period, int layers) noexcept nogil
    cdef bint solve(self, int i, double dt, int layers) noexcept nogil
    cdef bint show_full(self, int i, double dt, int layers) noexcept nogil
    cdef bint set_key(self, int i, double dt, int layers) noexcept nogil
    cdef void show(self, int i) noexcept nogil
    cdef void show_clips(self, int i, double dt) noexcept nogil
    cdef void blend_baked(self, int i) noexcept nogil
    cdef void place(self, int i) noexcept nogil
    cdef void write(
        self, double c, double s, double size, double px, double py, double pz,
        Floats palette, long e, Floats place, long p, Floats sphere, long o) noexcept nogil


cdef void compose(
    Floats nets, long o, long p, float x, float y, float z, float u, float v, float w,
    float f, float g, float h, float i, float j, float k) noexcept nogil
cdef void unbind(Floats out, long e, Floats inverse, long b, Floats nets, long o) noexcept nogil
