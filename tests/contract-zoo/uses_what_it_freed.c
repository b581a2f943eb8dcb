/* dealloc.after-free */
#define HEAP
#ifdef WRONG
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);     \
    type->tp_free(self);       \
    Py_DECREF(Py_TYPE(self));
#endif
#include "tests/contract-zoo/holder.h"
