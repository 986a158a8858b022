from ikrig.kernels.buffers cimport Doubles

cdef void cosine_sine(Doubles angle, Doubles sine, int n) noexcept
