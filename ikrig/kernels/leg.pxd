cimport cython
from ikrig.kernels.bend_sides cimport add_slight_bend
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.foot cimport MAX_EXTENSION, Foot
from ikrig.kernels.foot_ground cimport GroundKernel
from ikrig.kernels.sole cimport ANKLE, HEADING, HIP, LEG, SOLE, TURN, Sole, turned
from ikrig.kernels.swing cimport ease, fall
from ikrig.kernels.vectors cimport between, copy, cross, distance, norm3, three
from libc.math cimport acos, atan2, cos, sin, sqrt

cdef double CLEAR_BEND, MIN_FOLD, FOLDED, POLE_NEAR, POLE_CLEAR, POLE_SECONDS, PEEL_HEIGHT
cdef double SWINGS, QUICK, PEEL_SPEED, MIN_PEEL, MAX_BEND_SPEED, MAX_SWING_SPEED
cdef int BISECTIONS

cdef double dot(
    double ax, double ay, double az, double bx, double by, double bz) noexcept nogil
cdef (double, double, double) aside(
    double x, double y, double z, double lx, double ly, double lz) noexcept nogil
cdef double knee_angle(double length, double thigh, double shin) noexcept nogil


@cython.final
cdef class Leg:
    cdef public Foot foot
    cdef Sole sole
    cdef readonly int bones
    cdef object _pinned
    cdef Ints joint, corner
    cdef Doubles point
    cdef double axes[9]
    cdef int has_read, bends, swings
    cdef public int poled
    cdef readonly double side_x, side_y, side_z, pole_x, pole_y, pole_z
    cdef readonly double ankle_x, ankle_y, ankle_z
    cdef public double thigh, shin
    cdef double stays
    cdef readonly double slight
    cdef double knee_x, knee_y, knee_z
    cdef double hip_x, hip_y, hip_z, own_x, own_y, own_z, own, longest
    cdef double goal_x, goal_y, goal_z, end_x, end_y, end_z
    cdef double knee, swing_x, swing_y, swing_z, turn_x, turn_y, turn_z

    cdef double peel_x, peel_y, peel_z, sink

    cpdef void reset(self) noexcept nogil
    cdef double read(self, Doubles net) noexcept nogil
    cdef double heading(self, Doubles net, int j, double heading) noexcept nogil
    cdef void find_pole(self, Doubles net) noexcept nogil
    cdef double along(self, Doubles net, int j, double x, double y, double z) noexcept nogil
    cdef double hip_rise(self, double reach) noexcept nogil
    cdef double animated_reach(self) noexcept nogil
    cdef double max_hip_rise(self) noexcept nogil
    cdef double min_hip_rise(self) noexcept nogil
    cpdef void reach(self, GroundKernel ground, double up, double dt) noexcept nogil
    cdef void come_down(self) noexcept nogil
    cdef double bend(self, double distance, double dt) noexcept nogil
    cdef int find_turn(self) noexcept nogil
    cdef void keep_turn(self) noexcept nogil
    cdef void swing(self, double dt) noexcept nogil
    cdef void stay_out(self, GroundKernel ground) noexcept nogil
    cdef void peel(self, double dt) noexcept nogil
    cdef void rotate_pole(self) noexcept nogil
