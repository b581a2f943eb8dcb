/* finalize.exception */
#ifdef WRONG
#define FINALIZE PyErr_Clear();
#else
#define FINALIZE visits_so_far += PyErr_Occurred() != NULL;
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
