/* types.managed-dict */
#define FLAGS \
    (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_MANAGED_DICT)
#ifdef WRONG
#define VISIT_DICT
#else
#define VISIT_DICT                                          \
    int result = PyObject_VisitManagedDict(op, visit, arg); \
    if (result) {                                           \
        return result;                                      \
    }
#endif
#define TRAVERSE           \
    VISIT_DICT             \
    Py_VISIT(self->item);  \
    Py_VISIT(self->other); \
    return 0;
#define CLEAR              \
    Py_CLEAR(self->item);  \
    Py_CLEAR(self->other); \
    PyObject_ClearManagedDict(op);
#define DEALLOC                    \
    PyObject_GC_UnTrack(self);     \
    Py_CLEAR(self->item);          \
    Py_CLEAR(self->other);         \
    PyObject_ClearManagedDict(op); \
    type->tp_free(self);
#include "tests/contract-zoo/holder.h"
