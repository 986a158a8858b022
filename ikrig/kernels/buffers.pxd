ctypedef double *Doubles
ctypedef int *Ints

cdef list pin(buffers)
cdef Doubles doubles(values) except NULL
cdef Ints ints(values) except NULL
