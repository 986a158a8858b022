from ikrig.kernels.quat_ops cimport data, hold, index

cdef class JointNets:
    cdef readonly list nodes
    cdef readonly int n
    cdef object make, mats, _held
    cdef float[::1] numbers
    cdef int *parent
    cdef int *mark
    cdef double *net

    cpdef int read(self) except -1
    cdef void follow(self, int j) noexcept
    cpdef void rotate(self, int j, double w, double x, double y, double z) noexcept
    cpdef int write(self) except -1
    cpdef tuple place(self, int j)


cdef void part_from_to(
    double *out, int o, double ax, double ay, double az, double bx, double by,
    double bz, double part) noexcept
