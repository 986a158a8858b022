cimport cython
from ikrig.kernels.foot_ground cimport GroundKernel
from ikrig.kernels.foot_pace cimport RESTS, FootPace
from ikrig.kernels.sole cimport Sole, shortest
from ikrig.kernels.spring_damper cimport SpringDamper
from ikrig.kernels.vectors cimport distance
from libc.math cimport exp, sqrt, tan

cdef double HELD_HEIGHT, FREE_HEIGHT, HELD_SPEED, FREE_SPEED, PLANNED_SPEED, MAX_TWIST
cdef double STEP_SECONDS, QUICK_STEP, STEP_HEIGHT, STEP_RISES, STEP_AHEAD, STRETCHED
cdef double SETTLES, STANDS, EARLY, STOOD, SETTLED, CLEARANCE, DRAGGED, DRAG_SECONDS
cdef double DRAG_TIME
cdef double MAX_PRESS, STRIDE_RATIO, MAX_LIFT_SPEED, QUICK_LIFT, LATE, LIFT, GENTLE, MAX_EXTENSION, FOOT
cdef double LONG, FITS, SLIDES, ENDS, LANDS, LAND_SPEED, SPEEDS_UP, WAITS
cdef int STRETCHES, BISECTIONS, HOPS

cpdef double fall(double value, double low, double high) noexcept nogil
cpdef double ease(double fraction) noexcept nogil
cdef double glide(double fraction) noexcept nogil


@cython.final
cdef class Foot:
    cdef readonly Sole sole
    cdef readonly FootPace pace
    cdef public int at_start
    cdef public int planted, stepping, alone, plan
    cdef double old_weights[16]
    cdef public SpringDamper level, press
    # the animation at the last time
    cdef public double old_lowest, old_heading, spot_x, spot_y
    # what the clip does next
    cdef public double plan_left, plan_end, plan_whole, plan_x, plan_y
    cdef public double plan_half, way_x, way_y, aim_x, aim_y, begun, hold
    cdef public double beside, beside_x, beside_y
    # contact and swing
    cdef public double contact_weight, standing_time, progress, left, flying_time
    cdef public double start_x, start_y, start_z, land_x, land_y, land_z, land_time
    cdef public double land_front, land_back, under
    cdef public double rest_x, rest_y, rest_z, slack, least_slack, land_slack
    cdef public double rises, aim_twist, haste
    cdef public double carried_x, carried_y, carried_z, carried_yaw
    cdef public double moved_x, moved_y, moved_z
    # settings
    cdef public double lock, lock_distance, foot_seconds, release_seconds, look_ahead

    cpdef void reset(self) noexcept nogil
    cpdef void set_settings(
        self, double step_height, double max_tilt, double lock, double lock_distance,
        double foot_seconds, double release_seconds, double look_ahead) noexcept nogil
    cdef void begin_frame(self, double turn, double dt) noexcept nogil
    cdef void begin_piece(self, int standing, double haste, double dt) noexcept nogil
    cdef double end_height(self) noexcept nogil
    cdef int is_held(self) noexcept nogil
    cdef int is_held_up(self) noexcept nogil
    cdef double way_back(self, double x, double y) noexcept nogil
    cpdef void advance(
        self, GroundKernel ground, double until, double part, double dt) noexcept nogil
    cdef void begin(self, GroundKernel ground) noexcept nogil
    cdef void carry(self, double part) noexcept nogil
    cdef void move(self, double yaw, double dt) noexcept nogil
    cdef int wants_to_stand(self, double dt) noexcept nogil
    cdef void release(self) noexcept nogil
    cpdef void begin_step(self) noexcept nogil
    cdef void take_aim(self) noexcept nogil
    cdef double step_seconds(self) noexcept nogil
    cdef double own_haste(self) noexcept nogil
    cdef double clip_speed(self) noexcept nogil
    cdef void fly(self, double dx, double dy, double dt) noexcept nogil
    cdef double lift_speed(self) noexcept nogil
    cdef double remaining(self, double last, double wait, double dt) noexcept nogil
    cpdef double wants_step(self) noexcept nogil
    cdef void find_foothold(self, GroundKernel ground, double dt) noexcept nogil
    cdef double rise_on_the_way(
        self, GroundKernel ground, double x, double y) noexcept nogil
    cdef void step_beside(self, GroundKernel ground) noexcept nogil
    cdef void climb(self, GroundKernel ground, double dt) noexcept nogil
    cdef double rise_by_slope(self) noexcept nogil
    cdef void settle(self, GroundKernel ground, double dt) noexcept nogil
    cdef void wait(self, GroundKernel ground, double allowed) noexcept nogil
    cdef void rest(self) noexcept nogil
