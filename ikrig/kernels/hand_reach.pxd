from ikrig.kernels.vectors cimport between, distance, norm3, three
from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin
from ikrig.kernels.pose cimport PoseKernel
from ikrig.kernels.node_frame cimport NodeReader
from ikrig.kernels.quat_ops cimport conj_mul, log_rotation, mul, rotate_vec, rotation_vector
from ikrig.kernels.spring_damper cimport Spring

cdef double JUMP_RATE, JUMP_SPEED, INVISIBLE, FULL


cdef class PoseHold:
    cdef object _pinned
    cdef Doubles pose
    cdef list offsets
    cdef readonly bint jumped

    cpdef void start(self)
    cpdef void step(self, double max_speed, bint carried, double seconds, double dt)
    cdef double settling(self, int axis, double dt) noexcept


cdef class ReachKernel:
    cdef PoseKernel figure
    cdef readonly PoseHold hold
    cdef object _pinned, mat
    cdef public object target
    cdef int arm_count
    cdef bint is_measured, is_seen
    cdef readonly bint has_pose
    cdef public bint carried
    cdef readonly int error
    cdef Ints arm
    cdef Doubles pose
    cdef double[9] workspace
    cdef float[::1] numbers
    cdef Spring amount
    # length of the arm, how far the body brings it, and where its first joint is
    # before the body helps
    cdef public double length, help
    cdef readonly double x, y, z, led_x, led_y, led_z
    cdef double seen_x, seen_y, seen_z, late_x, late_y, late_z
    # distance of the target from there in the last frame
    cdef readonly double away

    cpdef void reset(self)
    cpdef bint step(self, double radius, double seconds, bint at_once, double dt) except -1
    cpdef int place(self, object node, object make) except -1
    cpdef double reach_weight(self) noexcept
    cpdef double lead(self, double radius, bint at_once, double dt) except -1.0
    cdef bint read_target(self) except -1
    cdef void measure(self) noexcept
    cdef double weight_for(self, double x, double y, double z, double radius) noexcept
    cpdef double read_reach(self) except? -1.0
