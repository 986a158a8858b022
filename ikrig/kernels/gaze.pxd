cimport cython
from ikrig.kernels.angles cimport angles_of, sin_cos
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.pose cimport PoseKernel, net_of
from ikrig.kernels.matrices cimport square_up
from ikrig.kernels.node_frame cimport NodeReader
from ikrig.kernels.spring_damper cimport SpeedLimitedSpring, Spring
from ikrig.kernels.vectors cimport by_rows, copy, in_rows, put
from libc.math cimport exp, sqrt

cdef double PI, AVERAGE_SECONDS, SIDE_MARGIN, STEEP_PITCH, INVISIBLE
cdef int BODY, FRAME, LEANT, ROTATION, PART, LIMITS, EYES, SINES, FACING
cdef int NO_POINTER


cdef class GazeKernel:
    cdef PoseKernel figure
    cdef object _pinned
    cdef public object target
    cdef readonly int count, is_active
    cdef int body, error
    # part of an average that a frame of this length replaces
    cdef double dt, fraction
    cdef Ints joint
    cdef Doubles weight, facing
    cdef double[46] workspace
    cdef Spring attention
    cdef readonly SpeedLimitedSpring gaze
    # the target, the point from which it is seen, its yaw and pitch
    cdef double tx, ty, tz, ex, ey, ez
    cdef public double target_yaw, target_pitch
    # last results: angles, and a direction
    cdef readonly double yaw, pitch, dx, dy, dz

    cpdef void reset(self)
    cpdef int step(
        self, object limits, double seconds, double speed, double weight, bint at_once,
        double dt) except -1
    cdef bint read_target(self) except -1
    cpdef int store_limits(self, int o, object limits) except -1
    cdef void forget(self) noexcept nogil
    cdef bint prepare(
        self, bint has_target, double seconds, double speed, bint at_once,
        double dt) noexcept nogil
    cdef void check(self) noexcept nogil
    cdef void begin(self) noexcept nogil
    cdef void set_eye(self) noexcept nogil
    cdef void hold(
        self, int o, double yaw, double pitch, double middle_yaw,
        double middle_pitch) noexcept nogil
    cdef void find_direction(self, int o, double yaw, double pitch) noexcept nogil
    cdef void hold_target(self) noexcept nogil
    cdef int turn(self, bint has_target, double factor, double seconds, double dt) except -1
    cdef double state_sum(self) noexcept nogil
    cdef void average(self, double fraction) noexcept nogil
    cdef void set_frame(self, int o, int facing, int joint) noexcept nogil
    cdef void find_angles(self, int o, double x, double y, double z) noexcept nogil
    cdef void set_angles(self, double right, double ahead, double up) noexcept nogil
    cdef void track_target(self) noexcept nogil
