from ikrig.kernels.buffers cimport Doubles, Floats, Ints, doubles, floats, ints, pin

# addresses of objects of the engine
ctypedef unsigned long long Address
ctypedef Address *Addresses
# members of classes, with the object before their arguments
ctypedef unsigned char (*Update)(
    Address, Address, Address, int, int, Address) noexcept nogil
ctypedef void (*Mark)(Address, int) noexcept nogil


cdef class JointWriter:
    cdef readonly int count
    cdef object _pinned, values, update, mark
    cdef Ints joint, state
    cdef Floats numbers
    cdef Addresses at, place, above
    cdef Address root
    cdef Update updates
    cdef Mark marks

    cpdef int write(self, Address thread) except -1
    cpdef int note(self, Address control, bint smooth) except -1


cdef Addresses addresses(values) except NULL
