/* dealloc.no-free */
#ifdef WRONG
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);
#else
/* One that died is the next that is made. */
#define BEFORE static Holder* spare;
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);     \
    if (spare) {               \
        type->tp_free(self);   \
    } else {                   \
        spare = self;          \
    }
#define NEW                                                     \
    if (spare) {                                                \
        PyObject* made = PyObject_Init((PyObject*)spare, type); \
        spare = NULL;                                           \
        PyObject_GC_Track(made);                                \
        return made;                                            \
    }                                                           \
    return type->tp_alloc(type, 0);
#endif
#include "tests/contract-zoo/holder.h"
