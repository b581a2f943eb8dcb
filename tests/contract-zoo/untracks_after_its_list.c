/* dealloc.untracks-late */
#define NEW NEW_WITH_LIST
#define MEMBERS
#ifdef WRONG
#define DEALLOC                \
    Py_CLEAR(self->item);      \
    PyObject_GC_UnTrack(self); \
    type->tp_free(self);
#else
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    type->tp_free(self);
#endif
#include "tests/contract-zoo/holder.h"
