cdef double lean(
    double *d, double *length, int n, int skip, double gx, double gy, double gz,
    double reach, double bx, double by, double bz) noexcept

cdef double fold(
    double *d, double *length, int n, int pick, double gx, double gy, double gz,
    double reach, double bx, double by, double bz) noexcept
