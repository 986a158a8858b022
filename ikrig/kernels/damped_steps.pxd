from ikrig.kernels.vectors cimport add_to, between, copy, cross, put, three
from ikrig.kernels.buffers cimport Doubles
from ikrig.kernels.jacobian cimport advance, set_columns, set_jacobian, set_joint_rows
from ikrig.kernels.codes cimport SLIDE
from ikrig.kernels.joints cimport JointKernel
from libc.math cimport sqrt

cdef double AHEAD, BENT, SLACK
cdef int PASSES, RELEASES

cdef void set_width(JointKernel joints, int w) noexcept
cdef void linearise_segments(JointKernel joints) noexcept
cdef void eliminate(
    JointKernel joints, double damping, Doubles rhs, Doubles target) noexcept
cdef void add_row(Doubles g, int o, Doubles w) noexcept
cdef void add_effector(JointKernel joints, int b, Doubles rhs) noexcept
cdef void arm_row(
    Doubles out, int c, double place, Doubles to, int i, Doubles centre, int o) noexcept
cdef void set_reach(JointKernel joints, int b) noexcept
cdef void linearise_inner(JointKernel joints, int b) noexcept
cdef void add_twist(
    JointKernel joints, Doubles out, int o, Doubles centre, int i, int j, int k,
    double s) noexcept
cdef void substitute(JointKernel joints, Doubles target) noexcept
cdef void set_twist(JointKernel joints, int b, Doubles target) noexcept
cdef void predict(JointKernel joints, Doubles target, Doubles out) noexcept
cpdef void prepare_step(JointKernel joints) noexcept
cpdef void damped_step(JointKernel joints, double damping) noexcept
cdef void accelerate(JointKernel joints, double damping, double longest) noexcept
