from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.pose cimport PoseKernel, part_from_to
from ikrig.kernels.matrices cimport from_rows, square_up
from ikrig.kernels.node_frame cimport NodeReader
from ikrig.kernels.quat_ops cimport conj_mul, log_rotation, mul, rotate_vec, rotation_vector
from ikrig.kernels.spring_damper cimport Spring
from libc.math cimport acos, atan2, exp, sin, sqrt

cdef double JUMP_RATE, EASY_REACH, MAX_REACH, JUMP_SPEED, INVISIBLE, FULL


cdef class PoseHold:
    cdef object _pinned
    cdef Doubles pose
    cdef list offsets

    cpdef void start(self)
    cpdef void step(self, double max_speed, bint carried, double seconds, double dt)


cdef class ReachKernel:
    cdef PoseKernel figure
    cdef PoseHold hold
    cdef object _pinned, mat
    cdef public object target
    cdef int arm_count, spine_count
    cdef bint has_pose, has_leant
    cdef public bint carried
    cdef readonly int error
    cdef Ints arm, spine
    cdef Doubles weight, pose, workspace
    cdef float[::1] numbers
    cdef Spring amount
    # length of the arm, and the position of its first joint before the spine leans
    cdef public double length
    cdef double sx, sy, sz
    # distance of the target from there in the last frame
    cdef readonly double away

    cpdef void reset(self)
    cpdef bint step(
        self, double radius, double bend, double seconds, bint at_once,
        double dt) except -1
    cpdef int place(self, object node, object make) except -1
    cpdef double reach_weight(self) noexcept
    cpdef int lean(self, double radius, double bend, double weight, bint at_once) except -1
    cdef bint read_target(self) except -1
    cdef void measure(self) noexcept
    cdef double distance(self, int i, int j) noexcept
    cdef void set_shoulder(self) noexcept
    cdef double weight_for(
        self, double x, double y, double z, double radius, double bend) noexcept
    cdef double reach(self, double bend) noexcept
    cpdef double read_reach(self, double bend) except? -1.0
    cpdef void lean_to(
        self, double x, double y, double z, double max_angle, double factor)
