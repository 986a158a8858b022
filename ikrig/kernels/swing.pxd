cimport cython
from ikrig.kernels.foot_ground cimport GroundKernel
from ikrig.kernels.foot_pace cimport FootPace
from ikrig.kernels.foot_plan cimport FootPlan
from ikrig.kernels.sole cimport Sole
from ikrig.kernels.spring_damper cimport SpringDamper
from libc.math cimport exp, sqrt

cdef double HELD_SPEED, FREE_SPEED, MAX_TWIST, STEP_SECONDS, QUICK_STEP, STEP_HEIGHT
cdef double STEP_RISES, SPEEDS_UP, STEP_AHEAD, STANDS, SETTLED, CLEARANCE, STRIDE_RATIO
cdef double MAX_LIFT_SPEED, LIFT, QUICK_LIFT, GENTLE, SLIDES, BESIDE, PUSH
cdef int STRETCHES, HOPS, BISECTIONS

cpdef double fall(double value, double low, double high) noexcept nogil
cpdef double ease(double fraction) noexcept nogil
cdef double glide(double fraction) noexcept nogil


@cython.final
cdef class Swing:
    cdef readonly Sole sole
    cdef readonly FootPace pace
    cdef readonly FootPlan plan
    cdef readonly SpringDamper level
    cdef public int stepping
    cdef public double haste, rises, progress, left, begun, flying_time
    cdef public double aim_x, aim_y, aim_twist, beside, beside_x, beside_y
    # how far others push it aside, and how far it has gone
    cdef public double push_x, push_y, apart_x, apart_y
    cdef public double start_x, start_y, start_z, land_x, land_y, land_z, land_time
    cdef public double land_front, land_back, under
    # where the foot was, and how far what it stood on moved it since
    cdef public double spot_x, spot_y, moved_x, moved_y, moved_z

    cpdef void reset(self) noexcept nogil
    cdef void stand(self, double x, double y, int planted) noexcept nogil
    cdef void carry(self, double x, double y, double z) noexcept nogil
    cdef void begin(self) noexcept nogil
    cdef void make_step(self) noexcept nogil
    cdef double step_seconds(self) noexcept nogil
    cdef void take_aim(self) noexcept nogil
    cdef void fly(self, double dx, double dy, double dt) noexcept nogil
    cdef void keep_apart(self, double dt) noexcept nogil
    cdef double remaining(self, double last, double wait, double dt) noexcept nogil
    cdef void find_foothold(
        self, GroundKernel ground, double sinking, double dt) noexcept nogil
    cdef double rise_on_the_way(
        self, GroundKernel ground, double x, double y) noexcept nogil
    cdef void step_beside(self, GroundKernel ground) noexcept nogil
    cdef void climb(self, GroundKernel ground, double dt) noexcept nogil
    cdef double lift_speed(self) noexcept nogil
    cdef double rise_by_slope(self) noexcept nogil
    cdef void wait(self, GroundKernel ground, double allowed) noexcept nogil
