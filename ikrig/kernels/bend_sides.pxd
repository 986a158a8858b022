from ikrig.kernels.vectors cimport less, norm3, put
from ikrig.kernels.buffers cimport Doubles

cdef double POLE_FADE, HAIR_BEND, WRONG_BEND, SLIGHT_BEND

cdef (double, double, double) off_line(
    double cx, double cy, double cz, double x, double y, double z) noexcept nogil
cdef (double, double, double) blend_sides(
    double cx, double cy, double cz, double ax, double ay, double az,
    double bx, double by, double bz, double k) noexcept nogil
cdef int add_pole(
    Doubles out, double cx, double cy, double cz, double x, double y, double z,
    double px, double py, double pz) noexcept nogil
cdef (double, double, double) add_slight_bend(
    double cx, double cy, double cz, double x, double y, double z,
    double sx, double sy, double sz, double size, double slight) noexcept nogil
