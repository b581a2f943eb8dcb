/* dealloc.untracks-late */
#define FIELDS PyObject* weak;
#define MORE .tp_weaklistoffset = offsetof(Holder, weak),
#ifdef WRONG
#define DEALLOC                     \
    if (self->weak) {               \
        PyObject_ClearWeakRefs(op); \
    }                               \
    PyObject_GC_UnTrack(self);      \
    Py_CLEAR(self->item);           \
    Py_CLEAR(self->other);          \
    type->tp_free(self);
#else
#define DEALLOC                     \
    PyObject_GC_UnTrack(self);      \
    if (self->weak) {               \
        PyObject_ClearWeakRefs(op); \
    }                               \
    Py_CLEAR(self->item);           \
    Py_CLEAR(self->other);          \
    type->tp_free(self);
#endif
#include "tests/contract-zoo/holder.h"
