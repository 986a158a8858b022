from ikrig.kernels.buffers cimport Doubles, Ints, doubles, ints, pin

cdef int TRIANGLE, KEPT_PLACES, KEPT
cdef double NO_HEIGHT, MIN_AREA, EDGE_TOLERANCE, NEAR, EXPLAINED


cdef class GroundKernel:
    cdef public double height, slope_x, slope_y
    cdef public int owner

    cpdef int find_ground(self, double x, double y, double top) noexcept
    cpdef int find_height(self, double x, double y, double top) noexcept
    cdef int find(self, double x, double y, double top) noexcept nogil
    cdef int find_level(self, double x, double y, double top) noexcept nogil
    cpdef GroundKernel twin(self)
    cdef void look_for(self, int i) noexcept nogil


cdef class CallGround(GroundKernel):
    cdef public object function, error

    cdef int call(self, double x, double y, double top) noexcept


cdef class FunctionGround(GroundKernel):
    cdef public object function, error
    cdef readonly double step
    cdef double frame
    cdef double kept[768]
    cdef int last, odd

    cpdef void set_step(self, double step) noexcept
    cpdef void begin(self) noexcept
    cdef int ask(self, double x, double y) noexcept
    cdef int ask_level(self, double x, double y) noexcept
    cdef int still_holds(self, double x, double y, int o) except -1
    cdef double height_at(self, double x, double y) except? -1
    cdef double rise_at(self, double x, double y, double along, double across) except? -1


cdef class SpotGround(GroundKernel):
    cdef object _pinned, given
    cdef Doubles planes
    cdef int feet
    cdef public int who


cdef class HeightGrid(GroundKernel):
    cdef object _pinned, given
    cdef Doubles heights
    cdef int columns, rows
    cdef double x, y, width, depth


cdef class TriangleGrid(GroundKernel):
    cdef object _pinned, given
    cdef Doubles table, start_corners, boxes
    cdef Ints owner_of, hidden, starts, items, runs
    cdef int movers, columns, rows
    cdef double x, y, width, depth

    cpdef void set_triangle(
        self, int k, double x0, double y0, double z0, double x1, double y1, double z1,
        double x2, double y2, double z2) noexcept
    cpdef void update_box(self, int m) noexcept
    cpdef void move_owner(self, int owner, mat)
    cdef double height_at(self, int k, double x, double y) noexcept nogil
