from libc.math cimport atan2, cos, sin, sqrt

cdef void from_to(
    double *out, int o,
    double ax, double ay, double az, double bx, double by, double bz) noexcept
cdef void unit(double *out, long o, double *q, long i) noexcept
cdef void mul(
    double *out, int o, double *a, int i, double *b, int j) noexcept
cdef void conj_mul(
    double *out, int o, double *a, int i, double *b, int j) noexcept
cdef void _product(
    double *out, int o, double aw, double ax, double ay, double az,
    double *b, int j) noexcept
cdef double scale_rotation(double *q, int o, double t, double limit) noexcept
cdef list hold(buffers)
cdef double *data(values) except NULL
cdef int *index(values) except NULL
cdef void rotation_vector(double *out, int o, double x, double y, double z) noexcept
cdef void rotate_vec(
    double *out, int o, double *q, int i, double x, double y, double z) noexcept
