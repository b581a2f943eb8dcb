/* dealloc.weak-references */
#define FIELDS PyObject* weak;
#define MORE .tp_weaklistoffset = offsetof(Holder, weak),
#ifndef WRONG
#define DEALLOC                     \
    PyObject_GC_UnTrack(self);      \
    Py_CLEAR(self->item);           \
    Py_CLEAR(self->other);          \
    if (self->weak) {               \
        PyObject_ClearWeakRefs(op); \
    }                               \
    type->tp_free(self);
#endif
#include "tests/contract-zoo/holder.h"
