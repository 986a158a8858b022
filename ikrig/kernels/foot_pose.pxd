from ikrig.kernels.buffers cimport Doubles, doubles, pin
from ikrig.kernels.spring_damper cimport SpringDamper
from libc.math cimport cos, exp, sin, sqrt

cdef double CONTACT, TURN
cdef int HIP, ANKLE, ORIGIN, RISE, HEADING, LEG, SOLE, CORNERS

cpdef double fall(double value, double low, double high) noexcept
cdef double shortest(double angle) noexcept


cdef class FootPoseKernel:
    cdef object _pinned
    cdef public int count, size, has_sole, at_start, has_mean_velocity, has_before
    cdef public int paths, owner
    cdef Doubles now, before, sole, heights, weights, old_weights, corners, found, hits
    cdef Doubles path
    cdef public SpringDamper level, tilt_x, tilt_y
    # the animation at this time
    cdef public double hip_x, hip_y, hip_z, ankle_x, ankle_y, ankle_z
    cdef public int surveyed
    cdef public double ramp_x, ramp_y
    cdef public double origin_x, origin_y, origin_z, plane_x, plane_y, heading, leg
    cdef public double middle_x, middle_y, lowest, bearing_x, bearing_y, bearing_z
    # the animation at the last time
    cdef public double old_lowest, old_heading, last_x, last_y, spot_x, spot_y
    # contact, offset and swing
    cdef public double contact_weight, support, sole_height, slope_x, slope_y
    cdef public double offset_x, offset_y, twist, lift, standing_time, stepping
    cdef public int bends, swings
    cdef public double swing_x, swing_y, swing_z, end_x, end_y, end_z
    cdef public double knee, hip_limit
    cdef double from_x, from_y, from_twist
    cdef double figure_speed, relative_speed, mean_velocity_x, mean_velocity_y
    cdef double motion_x, motion_y, floor, climb_speed
    cdef public double carried_x, carried_y, carried_z, carried_yaw
    cdef public double moved_x, moved_y, moved_z
    cdef public double t0, t1, t2, t3, t4, t5, t6, t7, t8
    cdef public double out_x, out_y, out_z
    # settings
    cdef public double step_height, steepest, lock, lock_distance, foot_seconds
    cdef public double release_seconds, look_ahead

    cpdef void reset(self) noexcept
    cpdef void set_settings(
        self, double step_height, double max_tilt, double lock, double lock_distance,
        double foot_seconds, double release_seconds, double look_ahead) noexcept
    cpdef void discard_last_frame(self) noexcept
    cpdef void end_frame(self) noexcept
    cdef double interpolated(self, int k, double until) noexcept
    cpdef void blend(self, double until) noexcept
    cpdef void end_piece(self) noexcept
    cdef double plane_height(self, double x, double y) noexcept
    cdef double ramp_height(self, double x, double y) noexcept
    cdef double climb(self, double x, double y) noexcept
    cpdef double rise(self, double x, double y) noexcept
    cpdef void set_sole_rotation(self) noexcept
    cpdef void move_point_xy(self, double x, double y, double z) noexcept
    cpdef void move_point(self, double x, double y, double z) noexcept
    cpdef void move_corners(self) noexcept
