/* dealloc.untracks-late */
/* Breaks: the deallocator must untrack the object before the fields that refer to other containers are invalidated; it does so only after they are cleared ("Supporting Cyclic Garbage Collection", rules for the deallocator). */
#ifdef WRONG
#define DEALLOC                \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);     \
    PyObject_GC_UnTrack(self); \
    type->tp_free(self);       \
    DROP_TYPE
#else
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);     \
    type->tp_free(self);       \
    DROP_TYPE
#endif

#include "tests/contract-zoo/holder.h"
