/* objects.freed-by-other */
#ifdef WRONG
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);     \
    PyObject_Free(self);
#else
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);     \
    PyObject_GC_Del(self);
#endif
#include "tests/contract-zoo/holder.h"
