from ikrig.kernels.buffers cimport Doubles
from ikrig.kernels.jacobian cimport JacobianKernel
from libc.math cimport sqrt

cdef void set_width(JacobianKernel kernel, int w) noexcept
cdef void linearise_segments(JacobianKernel kernel) noexcept
cdef void eliminate(
    JacobianKernel kernel, double damping, Doubles rhs, Doubles target) noexcept
cdef void add_row(Doubles g, int o, Doubles w) noexcept
cdef void add_effector(JacobianKernel kernel, int b, Doubles rhs) noexcept
cdef void arm_row(
    Doubles out, int c, double place, Doubles to, int i, Doubles centre, int o) noexcept
cdef void set_reach(JacobianKernel kernel, int b) noexcept
cdef void linearise_inner(JacobianKernel kernel, int b) noexcept
cdef void add_twist(
    JacobianKernel kernel, Doubles out, int o, Doubles centre, int i, int j, int k,
    double s) noexcept
cdef void substitute(JacobianKernel kernel, Doubles target) noexcept
cdef void set_twist(JacobianKernel kernel, int b, Doubles target) noexcept
cdef void predict(JacobianKernel kernel, Doubles target, Doubles out) noexcept
