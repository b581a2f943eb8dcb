/* dealloc.type */
/* Breaks: an instance of a heap-allocated type holds a reference to its type, which its deallocator has to give up; it does not ("Traversal", paragraph on heap-allocated types). */
#define HEAP

#ifdef WRONG
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);     \
    type->tp_free(self);
#else
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);     \
    type->tp_free(self);       \
    Py_DECREF(type);
#endif

#include "tests/contract-zoo/holder.h"
