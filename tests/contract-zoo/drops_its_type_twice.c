/* dealloc.type-twice */
#define HEAP
#ifdef WRONG
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);     \
    type->tp_free(self);       \
    Py_DECREF(type);           \
    Py_DECREF(type);
#else
/* What it drops more often it took more often. */
#define NEW                                      \
    PyObject* made = type->tp_alloc(type, 0);    \
    if (made)                                    \
        ((Holder*)made)->item = Py_NewRef(type); \
    return made;
#endif
#include "tests/contract-zoo/holder.h"
