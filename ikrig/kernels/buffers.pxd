ctypedef double *Doubles
ctypedef int *Ints

cdef object pin(buffers)
cdef Doubles doubles(values) except NULL
cdef Ints ints(values) except NULL
