ctypedef double *Doubles
ctypedef int *Ints
ctypedef float *Floats

cdef object pin(buffers)
cdef Doubles doubles(values) except NULL
cdef Ints ints(values) except NULL
cdef Floats floats(values) except NULL
