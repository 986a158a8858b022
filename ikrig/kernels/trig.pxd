cdef void cosine_sine(double *angle, double *sine, int n) noexcept
