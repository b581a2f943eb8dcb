/* dealloc.type-early */
#define HEAP
#ifdef WRONG
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);     \
    Py_DECREF(type);           \
    type->tp_free(self);
#endif
#include "tests/contract-zoo/holder.h"
