/* objects.freed-by-other */
#ifdef WRONG
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);     \
    PyMem_Free(self);
#else
#define FIELDS char* text;
#define NEW                                      \
    PyObject* made = type->tp_alloc(type, 0);    \
    if (made)                                    \
        ((Holder*)made)->text = PyMem_Malloc(8); \
    return made;
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);     \
    PyMem_Free(self->text);    \
    type->tp_free(self);
#endif
#include "tests/contract-zoo/holder.h"
