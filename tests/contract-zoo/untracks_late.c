/* dealloc.untracks-late */
#ifdef WRONG
#define DEALLOC                \
    Py_CLEAR(self->item);      \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->other);     \
    type->tp_free(self);
#else
#define DEALLOC                \
    ++visits_so_far;           \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);     \
    type->tp_free(self);
#endif
#include "tests/contract-zoo/holder.h"
