from ikrig.kernels.buffers cimport Doubles, doubles, pin
from ikrig.kernels.foot_ground cimport GroundKernel
from ikrig.kernels.spring_damper cimport SpringDamper
from libc.math cimport acos, atan2, cos, exp, sin, sqrt, tan

cdef double CONTACT, TURN, HELD_HEIGHT, FREE_HEIGHT, HELD_SPEED, FREE_SPEED
cdef double MEAN_SECONDS, MAX_TWIST, STEP_SECONDS, STEP_HEIGHT, WALK_SPEED, SETTLED
cdef double TILT_DEPTH, CLEARANCE, STRIDE_RATIO, MAX_LIFT_SPEED, MAX_EXTENSION
cdef double PEEL_HEIGHT, PEEL_SECONDS, PEELED, MIN_PEEL, DRAGGED, DRAG_SECONDS
cdef double PLANNED_SPEED, FOOT, SLIDES, EARLY, MIN_FOLD, POLE_NEAR
cdef double LONG, FITS, POLE_CLEAR
cdef double MAX_BEND_SPEED, MAX_SWING_SPEED
cdef int HIP, ANKLE, ORIGIN, RISE, HEADING, LEG, SOLE, CORNERS, STRETCHES, BISECTIONS

cpdef double fall(double value, double low, double high) noexcept
cpdef double ease(double fraction) noexcept
cdef double shortest(double angle) noexcept
cdef double knee_angle(double length, double thigh, double shin) noexcept


cdef class Foot:
    cdef object _pinned
    cdef public int count, size, at_start, has_before, has_mean_velocity, has_ground
    cdef public int planted, stepping, plan, owner, surveyed
    cdef Doubles now, before, sole, heights, weights, old_weights, corners, found, hits
    cdef Doubles footprint
    cdef public SpringDamper level, tilt_x, tilt_y
    # the animation at this time
    cdef public double hip_x, hip_y, hip_z, ankle_x, ankle_y, ankle_z
    cdef public double ramp_x, ramp_y
    cdef public double origin_x, origin_y, origin_z, plane_x, plane_y, heading, leg
    cdef public double middle_x, middle_y, lowest, bearing_x, bearing_y, bearing_z
    # the animation at the last time
    cdef public double old_lowest, old_heading, last_x, last_y, spot_x, spot_y
    # what the clip does next
    cdef public double plan_left, plan_end, plan_whole, plan_x, plan_y
    cdef public double plan_half, way_x, way_y, aim_x, aim_y, begun, hold, stance
    # contact, offset and swing
    cdef public double contact_weight, sole_height, slope_x, slope_y, floor, needed
    cdef public double offset_x, offset_y, twist, lift, standing_time, progress, left
    cdef public double start_x, start_y, start_z, land_x, land_y, land_z, land_time
    cdef public double land_front, land_back, under
    cdef public double rest_x, rest_y, rest_z, slack, least_slack
    cdef public double ground_x, ground_y, flatness, print_heading
    cdef public int bends, swings
    cdef public double turn_x, turn_y, turn_z, peeled, peel_now, peel_from
    cdef public double peel_x, peel_y, peel_z, peel_dx, peel_dy, peel_dz
    cdef public double swing_x, swing_y, swing_z, end_x, end_y, end_z, knee
    cdef public double figure_speed, relative_speed, figure_x, figure_y
    cdef public double mean_velocity_x, mean_velocity_y, speed_x, speed_y
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
    cdef double plane_height(self, double x, double y) noexcept
    cdef double ramp_height(self, double x, double y) noexcept
    cpdef double rise(self, double x, double y) noexcept
    cpdef void set_sole_rotation(self) noexcept
    cpdef void move_point_xy(self, double x, double y, double z) noexcept
    cpdef void move_point(self, double x, double y, double z) noexcept
    cpdef void move_corners(self) noexcept
    cpdef void advance(
        self, GroundKernel ground, double until, double part, double dt) noexcept
    cdef void begin(self, GroundKernel ground) noexcept
    cdef void carry(self, double part) noexcept
    cdef void move(self, double yaw, double dt) noexcept
    cdef void measure_speeds(self, double x, double y, double dt) noexcept
    cdef int wants_to_stand(self, double dt) noexcept
    cdef void release(self) noexcept
    cpdef void begin_step(self) noexcept
    cdef void take_aim(self) noexcept
    cdef double clip_speed(self) noexcept
    cdef void fly(self, double dt) noexcept
    cpdef double wants_step(self) noexcept
    cdef void survey(self, GroundKernel ground) noexcept
    cdef double floor_at(self, int i) noexcept
    cdef void find_foothold(self, GroundKernel ground, double dt) noexcept
    cdef void climb(self, GroundKernel ground, double dt) noexcept
    cdef double max_rise(self, double dt) noexcept
    cdef void settle(self, GroundKernel ground, double dt) noexcept
    cdef void wait(self, GroundKernel ground, double allowed) noexcept
    cdef void find_slope(self) noexcept
    cdef void incline(self, double dt) noexcept
    cdef void keep_footprint(self) noexcept
    cdef void rest(self) noexcept
    cpdef double max_reach(self) noexcept
    cpdef double max_hip_rise(self) noexcept
    cpdef double min_hip_rise(self) noexcept
    cpdef double bend(self, double up, double thigh, double shin, double dt) noexcept
    cpdef void swing(self, double fraction, double up, double dt) noexcept
    cdef int find_swing(self, double x, double y, double z) noexcept
    cdef double depth(
        self, GroundKernel ground, double dx, double dy, double dz) noexcept
    cpdef void stay_out(
        self, GroundKernel ground, double up, double thigh, double shin) noexcept
    cpdef void peel(self, double up) noexcept
    cdef void unpeel(self) noexcept
    cdef void turn_sole(self, double x, double y, double z, double k) noexcept
    cpdef void rotate_pole(self, double x, double y, double z, double up) noexcept
