from ikrig.kernels.vectors cimport add3, by_rows, copy, put, rotated, three
from ikrig.kernels.buffers cimport Doubles, Floats, Ints, doubles, floats, ints, pin
from ikrig.kernels.matrices cimport adjugate, compose, decompose, from_rows, read_rows, square_up
from ikrig.kernels.node_frame cimport BonePose, Goal, NodeGoal, place_of
from ikrig.kernels.pose cimport PoseKernel
from ikrig.kernels.chain cimport ChainKernel

cdef int GOAL, GOAL_WEIGHT, GOAL_TURN, GOAL_TURNED, GOAL_POLE, GOAL_POLED


cdef class ActorPose(BonePose):
    cdef object binding, _held, solver
    cdef PoseKernel figure
    cdef ChainKernel kernel
    cdef Ints joint, above
    cdef bint apart
    cdef double even
    cdef public double lengthening
    cdef Floats numbers
    cdef readonly object animated_trs
    cdef Doubles trs, work

    cpdef double read(self) except? -1.0
    cpdef int write_joints(self, const double[::1] local, double lengthening) except -1
    cdef int put(self, Doubles local, double lengthening) except -1
    cdef bint step_back(self, int k) noexcept


cdef bint invert_above(PoseKernel figure, int above, Doubles out) noexcept
cdef (double, double, double) to_root(
    Doubles frames, double x, double y, double z) noexcept
cdef bint invert(Doubles w, int o) noexcept


cdef class Beside:
    cdef object space, matrix, parent, state, _held
    cdef Floats numbers
    cdef double[12] rows
    cdef int stamp

    cpdef int look(self, object actor) except -1


cdef class ActorGoal(NodeGoal):
    cdef PoseKernel figure
    cdef int above
    cdef bint animated, reads_by_binding, was_animated
    cdef object _held
    cdef Beside beside
    cdef int leaf, stamp, place
    cdef Doubles rotations
    cdef double[33] frames

    cdef object read_state(self)
    cdef bint set_tip_rotation(self) except -1


cdef class PoseGoal(Goal):
    cdef object _held
    cdef PoseKernel figure
    cdef int above, leaf, first
    cdef bint animated
    cdef bint was_animated
    cdef Doubles numbers, rotations
    cdef double[46] frames

    cdef void set_tip_rotation(self) noexcept
