from ikrig.kernels.buffers cimport Doubles, doubles
from ikrig.kernels.matrices cimport compose_trs, decompose_trs
from ikrig.kernels.node_frame cimport NodeGoal, NodePose

cpdef int place_nodes(list nodes, object make, object mats) except -1
cpdef int follow_joints(list nodes, list joints) except -1


cdef class ActorPose(NodePose):
    cdef object make, mats
    cdef list between
    cdef float[::1] numbers
    cdef readonly object animated_trs
    cdef double[::1] trs, local

    cpdef double read(self) except? -1.0
    cpdef int write_joints(self, const double[::1] local, double lengthening) except -1


cdef class ActorGoal(NodeGoal):
    cdef list above
    cdef bint animated, reads_by_binding
    cdef object skeleton
    cdef int hand
    cdef tuple buffers
    cdef int leaf
    cdef Doubles rotations, frames
    cdef public object lead

    cdef int read_above(self) except -1
    cdef bint is_hand(self) except -1
    cdef bint set_tip_rotation(self) except -1
    cdef double to_root(self, double x, double y, double z, int k) noexcept
