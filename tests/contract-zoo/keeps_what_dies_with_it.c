/* counts.kept */
#ifdef WRONG
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    type->tp_free(self);
#else
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_XDECREF(self->item);    \
    Py_XDECREF(self->other);   \
    type->tp_free(self);
#endif
#include "tests/contract-zoo/holder.h"
