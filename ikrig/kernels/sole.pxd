cimport cython
from ikrig.kernels.buffers cimport Doubles, doubles, pin
from ikrig.kernels.foot_ground cimport GroundKernel
from ikrig.kernels.spring_damper cimport SpringDamper
from ikrig.kernels.vectors cimport copy, cross
from libc.math cimport cos, exp, sin, sqrt

cdef double CONTACT, TURN, TILT_DEPTH, EDGE, ROOM, AXIS
cdef int HIP, ANKLE, ORIGIN, RISE, HEADING, LEG, SOLE, CORNERS, EDGE_BISECTIONS, AXES

cdef double shortest(double angle) noexcept nogil
cdef (double, double, double) turned(
    double x, double y, double z, double vx, double vy, double vz, double k) noexcept nogil
cdef (double, double, double) normal(double a, double b) noexcept nogil


@cython.final
cdef class Sole:
    cdef object _pinned
    cdef public int count, size, has_before, has_ground, owner, surveyed, flying
    cdef Doubles now, rim
    # of up to CORNERS corners
    cdef double before[61]
    cdef double points[48]
    cdef double heights[16]
    cdef double weights[16]
    cdef double shares[16]
    cdef double corners[32]
    cdef double found[16]
    cdef double hits[48]
    cdef double footprint[32]
    # the animation at this time
    cdef public double hip_x, hip_y, hip_z, ankle_x, ankle_y, ankle_z
    cdef public double origin_x, origin_y, origin_z, plane_x, plane_y, heading, leg
    cdef public double middle_x, middle_y, lowest, bearing_x, bearing_y, bearing_z
    cdef public double stance
    # where it is placed
    cdef public double offset_x, offset_y, twist, height, lift, slope_x, slope_y
    cdef public SpringDamper tilt_x, tilt_y
    cdef public double t0, t1, t2, t3, t4, t5, t6, t7, t8
    # the ground, and the outline on it
    cdef public double ramp_x, ramp_y, floor, needed, ground_x, ground_y
    cdef double flatness, print_heading, print_cos, print_sin
    cdef double front, back, edge_front, edge_back
    # settings
    cdef public double step_height, steepest

    cpdef void reset(self) noexcept nogil
    cpdef void end_frame(self) noexcept nogil
    cdef double interpolated(self, int k, double until) noexcept nogil
    cpdef void blend(self, double until) noexcept nogil
    cdef (double, double) at(self) noexcept nogil
    cdef double away(self) noexcept nogil
    cdef double plane_height(self, double x, double y) noexcept nogil
    cdef double ramp_height(self, double x, double y) noexcept nogil
    cpdef double rise(self, double x, double y) noexcept nogil
    cpdef void set_rotation(self) noexcept nogil
    cdef void turn(self, double x, double y, double z, double k) noexcept nogil
    cpdef (double, double, double) placed(self, double x, double y, double z) noexcept nogil
    cpdef void move_corners(self) noexcept nogil
    cdef double way_aside(
        self, Sole other, double x, double y, int placed, double dx,
        double dy) noexcept nogil
    cdef double least_along(self, double x, double y, int placed) noexcept nogil
    cdef void set_ramp(self, double x, double y) noexcept nogil
    cdef void survey(self, GroundKernel ground) noexcept nogil
    cdef void survey_beside(self, GroundKernel ground, double rise) noexcept nogil
    cdef double floor_at(self, int i) noexcept nogil
    cdef double find_floor(self) noexcept nogil
    cdef double landing_height(self, double x, double y) noexcept nogil
    cdef double depth(
        self, GroundKernel ground, double dx, double dy, double dz) noexcept nogil
    cdef void find_slope(self) noexcept nogil
    cdef void incline(self, double seconds, double hold, double dt) noexcept nogil
    cdef void keep_footprint(self, double x, double y) noexcept nogil
    cdef void set_footprint(self, double x, double y) noexcept nogil
    cdef void turn_footprint(self) noexcept nogil
    cdef void lay_footprint(self, double x, double y) noexcept nogil
    cdef void find_extent(self, double ux, double uy) noexcept nogil
    cdef int find_edge(
        self, GroundKernel ground, double x, double y, double ux, double uy) noexcept nogil
    cdef double height_along(
        self, GroundKernel ground, double x, double y, double t, double ux,
        double uy) noexcept nogil
    cdef int is_level(
        self, GroundKernel ground, double x, double y, double t, double size, double ux,
        double uy) noexcept nogil
