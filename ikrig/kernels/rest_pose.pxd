from ikrig.kernels.vectors cimport (
    add3, between, copy, distance, less, norm3, put, put4, rotated, three)
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.quat_ops cimport mul

cdef double LEAST, MOST

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
cdef double find_chord(
    int n, Doubles pos, double reach, double straight, double sx, double sy, double sz,
    Doubles out) noexcept nogil
