cimport cython
from ikrig.kernels.vectors cimport (
    add3, between, copy, distance, less, norm3, put, put4, rotated, three)
from ikrig.kernels.bend_sides cimport HAIR_BEND, off_line
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.quat_ops cimport conj_mul, from_to, mul, rotate_vec

cdef double LEAST, MOST, OUTWARDS

cdef double measure(
    int n, Ints parent, Doubles local_trs, Doubles points, Doubles rotations,
    Doubles frames, Doubles child_frame) noexcept
cpdef int measure_joints(
    object parents, object local_trs, object points, object rotations, object frames,
    object child_frame) except -1
cpdef int find_bend(object points, double straight, object out) except -1
cdef double bend_off(
    int n, Doubles pos, double cx, double cy, double cz, double least, Doubles out,
    int o) noexcept nogil
cdef int measured(int n, Doubles points, Doubles rotations, Doubles frames) noexcept
cdef double turned_far(double product, double size) noexcept nogil


@cython.final
cdef class StartPose:
    cdef readonly int tipped, rigid
    cdef public int sided
    cdef readonly double tip_x, tip_y, tip_z, reach
    cdef public double side_x, side_y, side_z, straight, slight
    cdef int n, longest, mirrored
    cdef double dead_zone, bend_size
    cdef object _pinned
    cdef Ints parent
    cdef Doubles local_trs, points, frames, child_frame, length, rest, rest_dir
    cdef Doubles rest_rot, mirror, frame, tip_offset

    cpdef double set_from_locals(self) noexcept
    cpdef void set_tip(self, double x, double y, double z) noexcept
    cpdef void set_rigid(self, int rigid) noexcept
    cdef void move_end(self, double k) noexcept nogil
    cdef void put_tip(self, Doubles out, Doubles q, int o) noexcept nogil
    cpdef void set_rest(self) noexcept
    cdef void set_bones(self) noexcept nogil
    cdef void swing(
        self, Doubles q, Doubles s, double cx, double cy, double cz) noexcept nogil
    cdef double find_chord(self, Doubles pos, Doubles out) noexcept nogil
