/* dealloc.after-free */
#ifdef WRONG
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);     \
    type->tp_free(self);       \
    visits_so_far += self->ob_base.ob_type == type;
#else
#define DEALLOC                                     \
    PyObject_GC_UnTrack(self);                      \
    Py_CLEAR(self->item);                           \
    Py_CLEAR(self->other);                          \
    visits_so_far += self->ob_base.ob_type == type; \
    type->tp_free(self);
#endif
#include "tests/contract-zoo/holder.h"
