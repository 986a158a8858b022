cdef double LEAST, MOST

cdef double measure(
    int n, int *parent, double *given, double *points, double *turns, double *frames,
    double *inside) noexcept
cdef int measured(int n, double *points, double *turns, double *frames) noexcept


cdef class RestKernel:
    cdef public int n, longest
    cdef public double reach, dead_zone
    cdef object _held
    cdef int *parent
    cdef double *given
    cdef double *points
    cdef double *frames
    cdef double *inside
    cdef double *length
    cdef double *rest
    cdef double *rest_dir
    cdef double *rest_rot
    cdef double *mirror
    cdef double *frame

    cpdef double take_locals(self) noexcept
    cpdef void take_rest(self) noexcept
    cdef void find_chord(self, double *pos, double *out) noexcept
