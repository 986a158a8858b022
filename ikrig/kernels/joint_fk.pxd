from ikrig.kernels.joint_coordinates cimport JointKernel


cdef class PostureKernel(JointKernel):
    cpdef void rest(self) noexcept
    cpdef void take_start(self, int limited) noexcept
    cpdef void forward(self) noexcept
    cdef void take_turns(self, double *r) noexcept
    cpdef void take_wanted(self) noexcept
    cpdef void keep(self) noexcept
    cpdef void restore(self) noexcept
    cpdef void pull_back(self, double share) noexcept
    cpdef void start_over(self) noexcept
    cpdef int show(self, double weight, double limit) noexcept
