cimport cython
from ikrig.kernels.buffers cimport Doubles, doubles, pin
from ikrig.kernels.foot_ground cimport GroundKernel
from ikrig.kernels.spring_damper cimport SpringDamper
from libc.math cimport cos, exp, sin, sqrt, tan

cdef double CONTACT, TURN, HELD_HEIGHT, FREE_HEIGHT, HELD_SPEED, FREE_SPEED
cdef double MEAN_SECONDS, MAX_TWIST, STEP_SECONDS, STEP_HEIGHT, WALK_SPEED, STOOD, SETTLED
cdef double TILT_DEPTH, CLEARANCE, STRIDE_RATIO, MAX_LIFT_SPEED, MAX_EXTENSION
cdef double DRAGGED, DRAG_SECONDS
cdef double STIRS, QUICK_STEP, STEP_AHEAD, STRETCHED, SETTLES, STANDS, STEP_RISES
cdef double PLANNED_SPEED, FOOT, SLIDES, EARLY, EDGE
cdef double LONG, FITS, MAX_PRESS, RESTS, LIFT, GENTLE
cdef int HIP, ANKLE, ORIGIN, RISE, HEADING, LEG, SOLE, CORNERS, STRETCHES, BISECTIONS
cdef int EDGE_BISECTIONS

cpdef double fall(double value, double low, double high) noexcept nogil
cpdef double ease(double fraction) noexcept nogil
cdef double shortest(double angle) noexcept nogil
cdef (double, double, double) turned(
    double x, double y, double z, double vx, double vy, double vz, double k) noexcept nogil


@cython.final
cdef class Foot:
    cdef object _pinned
    cdef public int count, size, at_start, has_before, has_mean_velocity, has_ground
    cdef public int planted, stepping, alone, plan, owner, surveyed
    cdef Doubles now
    # of up to CORNERS corners
    cdef double before[61]
    cdef double sole[48]
    cdef double heights[16]
    cdef double weights[16]
    cdef double old_weights[16]
    cdef double corners[32]
    cdef double found[16]
    cdef double hits[48]
    cdef double footprint[32]
    cdef public SpringDamper level, press, tilt_x, tilt_y
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
    cdef public double beside, beside_x, beside_y
    # contact, offset and swing
    cdef public double contact_weight, sole_height, slope_x, slope_y, floor, needed
    cdef public double offset_x, offset_y, twist, lift, standing_time, progress, left
    cdef public double flying_time
    cdef public double start_x, start_y, start_z, land_x, land_y, land_z, land_time
    cdef public double land_front, land_back, under
    cdef public double rest_x, rest_y, rest_z, slack, least_slack, land_slack
    cdef public double ground_x, ground_y, flatness, print_heading
    cdef public double figure_speed, relative_speed, figure_x, figure_y
    cdef public double stirred, rises, figure_turn, mean_turn, aim_twist, spin_x, spin_y
    cdef public double mean_velocity_x, mean_velocity_y, speed_x, speed_y
    cdef public double carried_x, carried_y, carried_z, carried_yaw
    cdef public double moved_x, moved_y, moved_z
    cdef public double t0, t1, t2, t3, t4, t5, t6, t7, t8
    # settings
    cdef public double step_height, steepest, lock, lock_distance, foot_seconds
    cdef public double release_seconds, look_ahead

    cpdef void reset(self) noexcept nogil
    cpdef void set_settings(
        self, double step_height, double max_tilt, double lock, double lock_distance,
        double foot_seconds, double release_seconds, double look_ahead) noexcept nogil
    cpdef void end_frame(self) noexcept nogil
    cdef double interpolated(self, int k, double until) noexcept nogil
    cpdef void blend(self, double until) noexcept nogil
    cdef double plane_height(self, double x, double y) noexcept nogil
    cdef double ramp_height(self, double x, double y) noexcept nogil
    cpdef double rise(self, double x, double y) noexcept nogil
    cpdef void set_sole_rotation(self) noexcept nogil
    cdef void turn_sole(self, double x, double y, double z, double k) noexcept nogil
    cpdef (double, double, double) placed(self, double x, double y, double z) noexcept nogil
    cpdef void move_corners(self) noexcept nogil
    cdef void begin_frame(self, double turn, double dt) noexcept nogil
    cdef void begin_piece(self, int standing, double dt) noexcept nogil
    cdef void set_ramp(self, double x, double y) noexcept nogil
    cdef double end_height(self) noexcept nogil
    cdef int is_held(self) noexcept nogil
    cdef double way_back(self, double x, double y) noexcept nogil
    cpdef void advance(
        self, GroundKernel ground, double until, double part, double dt) noexcept nogil
    cdef void begin(self, GroundKernel ground) noexcept nogil
    cdef void carry(self, double part) noexcept nogil
    cdef void move(self, double yaw, double dt) noexcept nogil
    cdef void measure_speeds(
        self, double x, double y, double yaw, double dt) noexcept nogil
    cdef int wants_to_stand(self, double dt) noexcept nogil
    cdef void release(self) noexcept nogil
    cpdef void begin_step(self) noexcept nogil
    cdef void take_aim(self) noexcept nogil
    cdef int rests(self) noexcept nogil
    cdef int walks(self) noexcept nogil
    cdef double step_seconds(self) noexcept nogil
    cdef double clip_speed(self) noexcept nogil
    cdef void fly(self, double dx, double dy, double dt) noexcept nogil
    cdef double lift_speed(self) noexcept nogil
    cdef double remaining(self, double last, double wait, double dt) noexcept nogil
    cpdef double wants_step(self) noexcept nogil
    cdef void survey(self, GroundKernel ground) noexcept nogil
    cdef double floor_at(self, int i) noexcept nogil
    cdef void find_foothold(self, GroundKernel ground, double dt) noexcept nogil
    cdef void step_beside(self, GroundKernel ground) noexcept nogil
    cdef double height_along(
        self, GroundKernel ground, double t, double ux, double uy) noexcept nogil
    cdef int is_level(
        self, GroundKernel ground, double t, double size, double ux, double uy) noexcept nogil
    cdef void climb(self, GroundKernel ground, double dt) noexcept nogil
    cdef double max_rise(self, double speed, double dt) noexcept nogil
    cdef void settle(self, GroundKernel ground, double dt) noexcept nogil
    cdef void wait(self, GroundKernel ground, double allowed) noexcept nogil
    cdef void find_slope(self) noexcept nogil
    cdef void incline(self, double dt) noexcept nogil
    cdef void keep_footprint(self) noexcept nogil
    cdef void rest(self) noexcept nogil
    cdef double depth(
        self, GroundKernel ground, double dx, double dy, double dz) noexcept nogil
