/* Types made while the program runs: what they are in memory. */
#ifndef OURO_HEAPTYPE_H
#define OURO_HEAPTYPE_H

#include "ouroboros/methods.h"

OURO_BEGIN_C

/* A type whose Py_TPFLAGS_HEAPTYPE is set. It holds its groups of slots itself: tp_as_number and the
 * others point into it, so that a special method can be put into any of them later. References are owned. */
typedef struct _heaptypeobject {
    PyTypeObject ht_type;
    PyAsyncMethods as_async;
    PyNumberMethods as_number;
    PyMappingMethods as_mapping;
    PySequenceMethods as_sequence; /* after the mapping, whose slots come first */
    PyBufferProcs as_buffer;
    PyObject* ht_name;     /* str */
    PyObject* ht_slots;    /* tuple of the names in __slots__, or NULL */
    PyObject* ht_qualname; /* str */
    PyObject* ht_module;   /* the module that defines it, or NULL */
    void* ht_token;        /* that it was made with; or NULL */
    char* _ht_tpname;      /* tp_name where the type owns it, of PyMem_ memory; or NULL */
} PyHeapTypeObject;

OURO_END_C

#endif
