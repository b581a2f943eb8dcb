/* traverse.unstable */
#define FIELDS long* calls;
#ifdef WRONG
#define VISIT_ITEM                 \
    if (++*self->calls % 2 == 0) { \
        Py_VISIT(self->item);      \
    }
#else
#define VISIT_ITEM               \
    if (*self->calls % 2 == 0) { \
        Py_VISIT(self->item);    \
    }
#endif
#define TRAVERSE           \
    VISIT_ITEM             \
    Py_VISIT(self->other); \
    return 0;
#define NEW                                                                  \
    PyObject* made = type->tp_alloc(type, 0);                                \
    if (made && !(((Holder*)made)->calls = PyMem_Calloc(1, sizeof(long)))) { \
        Py_CLEAR(made);                                                      \
        PyErr_NoMemory();                                                    \
    }                                                                        \
    return made;
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);     \
    PyMem_Free(self->calls);   \
    type->tp_free(self);
#include "tests/contract-zoo/holder.h"
