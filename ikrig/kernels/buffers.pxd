from cpython.object cimport PyObject
from cpython.sequence cimport PySequence_Fast_ITEMS

ctypedef double *Doubles
ctypedef int *Ints
ctypedef float *Floats
ctypedef PyObject **Objects

cdef object pin(buffers)
cdef Doubles doubles(values) except NULL
cdef Ints ints(values) except NULL
cdef Floats floats(values) except NULL
cdef Objects objects(values) except NULL
