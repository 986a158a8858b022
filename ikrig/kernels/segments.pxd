from libc.math cimport sqrt
from ikrig.kernels.jacobian cimport JacobianKernel

cdef void set_width(JacobianKernel kernel, int w) noexcept
cdef void linearise_segments(JacobianKernel kernel) noexcept
cdef void eliminate(
    JacobianKernel kernel, double damping, double *rhs, double *target) noexcept
cdef void add_row(double *g, int o, double *w) noexcept
cdef void add_effector(JacobianKernel kernel, int b, double *rhs) noexcept
cdef void arm_row(
    double *out, int c, double place, double *to, int i, double *centre, int o) noexcept
cdef void set_reach(JacobianKernel kernel, int b) noexcept
cdef void linearise_inner(JacobianKernel kernel, int b) noexcept
cdef void add_twist(
    JacobianKernel kernel, double *out, int o, double *centre, int i, int j, int k,
    double s) noexcept
cdef void substitute(JacobianKernel kernel, double *target) noexcept
cdef void set_twist(JacobianKernel kernel, int b, double *target) noexcept
cdef void predict(JacobianKernel kernel, double *target, double *out) noexcept
