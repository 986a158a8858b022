from libc.math cimport sqrt

cpdef double decompose_trs(int n, float[::1] mats, double[::1] local_trs) noexcept
cpdef double compose_trs(
    int n, float[::1] mats, double[::1] local_trs, const double[::1] local,
    double lengthening) noexcept
