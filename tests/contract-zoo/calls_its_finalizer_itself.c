/* finalize.twice */
#define BEFORE                                  \
    static void holder_finalize(PyObject* op) { \
        (void)op;                               \
        ++visits_so_far;                        \
    }
#define MORE .tp_finalize = holder_finalize,
#ifdef WRONG
#define FINALIZE type->tp_finalize(op);
#else
#define FINALIZE                                     \
    if (PyObject_CallFinalizerFromDealloc(op) < 0) { \
        return;                                      \
    }
#endif
#define DEALLOC                \
    FINALIZE                   \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);     \
    type->tp_free(self);
#include "tests/contract-zoo/holder.h"
