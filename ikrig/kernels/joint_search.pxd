from ikrig.kernels.vectors cimport between
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.damped_steps cimport accelerate, damped_step, prepare_step
from ikrig.kernels.jacobian cimport advance, longest_rotation, set_columns
from ikrig.kernels.codes cimport AXES, BALL, CONE, SLIDE
from ikrig.kernels.joints cimport PI, JointKernel, StoredPose, stored
from ikrig.kernels.quat_ops cimport conj_mul, mul, rotation_vector
from libc.math cimport acos, atan2, floor, sqrt

cdef double LONGEST, FAINT, FAINTER, MODULUS
cdef int RESTART, POLISH, SAMPLES, MOST_SAMPLES, FEW_SAMPLES
cdef int STARTS, MANY_STARTS, FEW_STARTS, CORRECTIONS
cdef double CLEARLY, WELL, NEARLY
cdef double TO_THE_END, AT_BOUND, PAST, SLIGHTLY_BENT, MOST_BENT, LARGEST_TURN, FARTHEST_TURN, SHORT_STEP
cdef double LIMBS, SHORT, LONG, PART, LARGEST_MISS, LARGEST_SLIDE, LEAST_WAY, MOST_WAY, WAIT, WAY, TURN_BY_GOAL, CROSSING, TURN_BY_FOLD

cdef double ease(double x) noexcept


cdef class JointSearch:
    cdef public JointKernel joints
    cdef object _pinned
    cdef public double seed, strength, crossing, largest_change
    cdef double step_limit, miss
    # within which goals count as reached, and the fraction to continue to
    cdef public double tolerance, orientation_tolerance, fine
    cdef public int stuck, tried, uncounted, carried, led, folded, late
    cdef Doubles last_goal, last_rotation
    cdef StoredPose first_pose, last_pose, other_pose, best_pose, carried_pose, begin_pose
    cdef Ints marked

    cpdef double goal_change(self) noexcept
    cpdef void set_tolerances(
        self, double tolerance, double orientation_tolerance, double fine) noexcept
    cdef int reached(self, double fraction) noexcept
    cpdef int descend(self, int iterations, double patience) noexcept
    cpdef int search(self, int iterations, int restarts, int steady) noexcept
    cdef double random(self) noexcept
    cdef void scatter_pose(self, int count) noexcept
    cdef void scatter_joints(self) noexcept
    cdef void weigh_rotations(self, double factor) noexcept
    cdef void start_nearby(self) noexcept
    cdef int flip_hinges(self, int only_look) noexcept
    cdef double bend_at(self, int j, int b, int e) noexcept
    cdef void try_flip(self) noexcept
    cdef double most_turn(self) noexcept
    cdef int start_again(self, int arrived) noexcept
    cdef double largest_turn(self, StoredPose pose) noexcept
    cdef double away(self, StoredPose pose) noexcept
    cdef void blend_from(self, StoredPose pose, double fraction) noexcept
    cpdef void follow(self, double dt, int continuous) noexcept
    cpdef void end_frame(self) noexcept
    cdef double path_cost(self) noexcept
    cdef int polish(self) noexcept
    cdef double gap(self) noexcept
    cdef int creep(self) noexcept
    cdef void turn_at_most(self, double most) noexcept
    cdef void slide(self) noexcept
    cdef void mark_limbs(self) noexcept
    cpdef void carry(self, double fraction) noexcept
    cdef void carry_pose(self, StoredPose pose) noexcept
    cdef double turn(self, int j, StoredPose pose) noexcept
    cdef void draw_back(self, double fraction) noexcept
