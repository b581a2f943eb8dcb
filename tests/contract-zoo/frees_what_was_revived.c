/* dealloc.alive */
#define BEFORE                                  \
    static PyObject* revived;                   \
    static void holder_finalize(PyObject* op) { \
        Py_XSETREF(revived, Py_NewRef(op));     \
    }
#define MORE .tp_finalize = holder_finalize,
#ifdef WRONG
#define DEALLOC                                  \
    (void)PyObject_CallFinalizerFromDealloc(op); \
    PyObject_GC_UnTrack(self);                   \
    Py_CLEAR(self->item);                        \
    Py_CLEAR(self->other);                       \
    type->tp_free(self);
#else
#define DEALLOC                                      \
    if (PyObject_CallFinalizerFromDealloc(op) < 0) { \
        return;                                      \
    }                                                \
    PyObject_GC_UnTrack(self);                       \
    Py_CLEAR(self->item);                            \
    Py_CLEAR(self->other);                           \
    type->tp_free(self);
#endif
#include "tests/contract-zoo/holder.h"
