cpdef double take_apart(int n, float[::1] mats, double[::1] given) noexcept
cpdef double turn_matrices(
    int n, float[::1] mats, double[::1] given, const double[::1] local,
    double lengthening) noexcept
