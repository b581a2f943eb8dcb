/* finalize.exception */
#ifdef WRONG
#define FINALIZE PyErr_SetString(PyExc_ValueError, "in a finalizer");
#else
#define FINALIZE                                         \
    PyObject* before = PyErr_GetRaisedException();       \
    PyErr_SetString(PyExc_ValueError, "in a finalizer"); \
    PyErr_Clear();                                       \
    PyErr_SetRaisedException(before);
#endif
#define BEFORE                                  \
    static void holder_finalize(PyObject* op) { \
        (void)op;                               \
        FINALIZE                                \
    }
#define MORE .tp_finalize = holder_finalize,
#define DEALLOC                                      \
    if (PyObject_CallFinalizerFromDealloc(op) < 0) { \
        return;                                      \
    }                                                \
    PyObject_GC_UnTrack(self);                       \
    Py_CLEAR(self->item);                            \
    Py_CLEAR(self->other);                           \
    type->tp_free(self);
#include "tests/contract-zoo/holder.h"
