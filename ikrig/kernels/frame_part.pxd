cdef class FrameUpdate:
    cpdef object step(self, object rig, object settings, double dt)
    cpdef bint rests(self, object settings) except -1
    cdef bint is_uneven(self)


cdef class FramePart:
    cdef public object _settings, _usual, _idle_since, _fading, _result, _update
    cdef public bint _started
    cdef public long _acted


cpdef int first_acting(list parts) except -1
cpdef int run_parts(list parts, int first, double dt, long frame) except -1
cpdef int resting_parts(list parts, long frame) except -1
