cimport cython
from ikrig.kernels.foot_ground cimport GroundKernel
from ikrig.kernels.foot_pace cimport RESTS, WALK_SPEED, FootPace
from ikrig.kernels.foot_plan cimport FootPlan
from ikrig.kernels.sole cimport Sole, shortest
from ikrig.kernels.spring_damper cimport SpringDamper
from ikrig.kernels.swing cimport (
    FREE_SPEED, HELD_SPEED, MAX_TWIST, SETTLED, STANDS, Swing, ease, fall)
from ikrig.kernels.vectors cimport distance
from libc.math cimport exp, sqrt, tan

cdef double HELD_HEIGHT, FREE_HEIGHT, PLANNED_SPEED, ENDS, LANDS, LAND_SPEED, LEFT_BEHIND
cdef double STRETCHED, DRAGS, WAITS, SETTLES, EARLY, STOOD
cdef double DRAGGED, DRAG_SECONDS, DRAG_TIME
cdef double MAX_PRESS, LATE, MAX_EXTENSION, FOOT, LONG, FITS, TWISTS, LEAVES


@cython.final
cdef class Foot:
    cdef readonly Sole sole
    cdef readonly FootPace pace
    cdef readonly FootPlan plan
    cdef readonly Swing swing
    cdef readonly SpringDamper level, press
    cdef public int at_start, planted, alone, waits, crossed, flew, stands_on
    cdef double old_weights[16]
    # the animation at the last time
    cdef public double old_lowest, old_heading
    cdef public double hold, contact_weight, standing_time
    cdef public double rest_x, rest_y, rest_z, slack, least_slack, land_slack
    cdef public double carried_x, carried_y, carried_z, carried_yaw, risen

    cpdef void reset(self) noexcept nogil
    cpdef void set_settings(
        self, double step_height, double max_tilt, double lock, double lock_distance,
        double foot_seconds, double release_seconds, double look_ahead) noexcept nogil
    cdef void begin_frame(self, double turn, double dt) noexcept nogil
    cdef void end_frame(self) noexcept nogil
    cdef void begin_piece(
        self, int standing, int count, double haste, double dt) noexcept nogil
    cdef double end_height(self) noexcept nogil
    cdef int is_held(self) noexcept nogil
    cdef int is_held_up(self) noexcept nogil
    cdef void forget_sides(self) noexcept nogil
    cdef void keep_side(self, Foot other, int beside) noexcept nogil
    cdef double way_back(self, double x, double y) noexcept nogil
    cpdef void advance(
        self, GroundKernel ground, double until, double part, double dt) noexcept nogil
    cdef void begin(self, GroundKernel ground) noexcept nogil
    cdef void carry(self, double part) noexcept nogil
    cdef void move(self, double yaw, double dt) noexcept nogil
    cdef int wants_to_stand(self, double dt) noexcept nogil
    cdef void release(self) noexcept nogil
    cpdef void begin_step(self) noexcept nogil
    cdef double own_haste(self) noexcept nogil
    cpdef double wants_step(self) noexcept nogil
    cdef void settle(self, GroundKernel ground, double dt) noexcept nogil
    cdef void rest(self) noexcept nogil
