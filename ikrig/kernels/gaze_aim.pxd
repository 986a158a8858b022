from ikrig.kernels.gaze cimport GazeKernel
from ikrig.kernels.spring_damper cimport Spring


cdef class AimKernel(GazeKernel):
    cdef object mat
    cdef float[::1] numbers
    cdef public object pointer
    cdef int last
    cdef bint has_distance
    cdef Spring distance
    # axis that points, in the pointer's space, and a point on the line ahead of it
    cdef double ax, ay, az, px, py, pz

    cpdef void set_axis(self, double x, double y, double z)
    cdef bint find_line_point(
        self, double x, double y, double z, double far) noexcept
