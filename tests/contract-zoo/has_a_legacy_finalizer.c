/* types.tp-del */
#define BEFORE                                  \
    static void holder_finalize(PyObject* op) { \
        (void)op;                               \
        ++visits_so_far;                        \
    }
#ifdef WRONG
#define MORE .tp_del = holder_finalize,
#else
#define MORE .tp_finalize = holder_finalize,
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
