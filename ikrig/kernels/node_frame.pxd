from ikrig.kernels.vectors cimport multiply, three
from ikrig.kernels.buffers cimport Doubles, Floats, doubles, floats, ints
from ikrig.kernels.matrices cimport decompose, from_rows, square_up
from ikrig.kernels.rest_pose cimport measure
from libc.math cimport sqrt

cdef int REMOVED, NOT_FINITE

cpdef int measure_nodes(
    list states, object parents, bint turned, bint strict, object start, object points,
    object rotations, object frames, object inside) except -2

cdef (double, double, double) place_of(object state) except *


cdef class NodeReader:
    cdef object path, node, root
    cdef public object state
    cdef bint is_child, rooted
    cdef int error
    cdef double x, y, z
    cdef double[9] axes

    cdef object read(self)
    cdef int read_place(self) except -1
    cdef int read_pose(
        self, object matrix, float[::1] numbers, Doubles out, int o) except -1


cdef class Goal:
    cdef readonly bint use_tip, use_pole, weighs
    cdef readonly double gx, gy, gz, tw, tx, ty, tz, px, py, pz, weight

    cdef object binding, effector
    cdef public object lead
    cdef int hand

    cpdef bint read(self) except -1
    cdef bint rests(self) except -1
    cdef int check(self) except -1
    cdef int add_lead(self) except -1
    cdef bint is_hand(self) except -1
    cdef void turn_back(self, Doubles q, int o) noexcept


cdef class NodeGoal(Goal):
    cdef object first, offset, _numbers, _trs
    cdef NodeReader target, pole
    cdef bint has_rotation
    cdef Doubles inverse
    cdef object matrix
    cdef Floats numbers
    cdef Doubles trs
    # the offset at the last read
    cdef double lw, lx, ly, lz

    cdef void note_offset(self) noexcept
    cdef bint offset_stays(self) noexcept
    cdef bint read_target(self) except -1
    cdef int set_from_state(self, object state) except -1
    cdef bint is_plain(self, double shear) noexcept
    cdef void set_rotation_since_bound(self) noexcept
    cdef int read_by_binding(self) except -1
    cdef bint read_pole(self) except -1


cdef class BonePose:
    cdef readonly int n
    cdef readonly bint uneven
    cdef readonly double x, y, z

    cpdef bint touched(self) except -1
    cpdef int pass_rest_pose(self, object solver) except -1
    cdef int write(self, Doubles local, bint touched) except -1


cdef class NodePose(BonePose):
    cdef int next_bone
    cdef list nodes, bones, parents, states
