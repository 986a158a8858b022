cdef class RobotKernel:
    cdef public int count, bodies, joints, coordinates, sites, mocaps, dofs
    cdef object _held
    # the tree
    cdef int *parent
    cdef int *mocap
    cdef int *first_joint
    cdef int *kind
    cdef int *joint_qpos
    cdef int *joint_dof
    cdef int *site_body
    cdef int *body_turned
    cdef int *inertia_turned
    cdef int *site_turned
    cdef int *off_centre
    cdef double *body_pos
    cdef double *body_quat
    cdef double *body_ipos
    cdef double *body_iquat
    cdef double *axis
    cdef double *anchor
    cdef double *qpos0
    cdef double *site_pos
    cdef double *site_quat
    # the poses
    cdef double *qpos
    cdef double *mocap_pos
    cdef double *mocap_quat
    cdef double *xpos
    cdef double *xquat
    cdef double *xmat
    cdef double *xanchor
    cdef double *xaxis
    cdef double *xipos
    cdef double *ximat
    cdef double *site_xpos
    cdef double *site_xmat
    cdef double *turn
    cdef double *cosine
    cdef double *sine
    cdef double *work

    cpdef void forward(self) noexcept
    cdef void set_rotations(self, long first) noexcept
    cdef void set_bodies(self, long k) noexcept
    cpdef void jacobian(
        self, long body, double[::1] points, double[::1] out) noexcept
    cdef void set_columns(
        self, long k, long b, long j, double *points, double *out, long o) noexcept

cdef void _turn_column(
    double *out, long o, long nv, double *axis, long i, long stride,
    double x, double y, double z) noexcept
cdef void _unit(double *out, long o, double *q, long i) noexcept
cdef void _product(
    double *out, long o, double *p, long i, double *q, long j) noexcept
cdef void _spin(
    double *out, long o, double *q, long i, double *v, long j) noexcept
cdef void _carry(
    double *out, long o, double *pos, double *mat, long i,
    double *v, long j) noexcept
cdef void _matrix(double *out, long o, double *q, long i) noexcept
cdef void _turn_frame(
    double *out, long o, double *mat, double *rot, long i,
    int turned, double *q, long j, double *work) noexcept
