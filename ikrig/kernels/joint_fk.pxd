from ikrig.kernels.buffers cimport Doubles
from ikrig.kernels.joint_coordinates cimport FARTHEST, JointCoordinateKernel
from ikrig.kernels.quat_ops cimport conj_mul, mul, rotate_vec, scale_rotation


cdef class JointFkKernel(JointCoordinateKernel):
    cpdef void rest(self) noexcept
    cpdef void set_start(self, int limited) noexcept
    cpdef void forward(self) noexcept
    cdef void set_from_rotations(self, Doubles r) noexcept
    cpdef void set_from_solved_rot(self) noexcept
    cdef void copy_pose(
        self, Doubles value, Doubles q, Doubles to_value, Doubles to_q) noexcept
    cpdef void keep(self) noexcept
    cpdef void restore(self) noexcept
    cpdef void pull_back(self, double fraction) noexcept
    cpdef void start_over(self) noexcept
    cpdef int show(self, double weight, double limit, double dt) noexcept
