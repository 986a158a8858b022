from ikrig.kernels.gaze cimport BODY, ROTATION, NO_POINTER, PART, GazeKernel
from ikrig.kernels.pose cimport part_from_to
from ikrig.kernels.node_frame cimport NodeReader
from ikrig.kernels.quat_ops cimport rotate_vec
from ikrig.kernels.spring_damper cimport Spring
from ikrig.kernels.vectors cimport by_rows, moved, norm3, three
from libc.math cimport sqrt


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
