/* traverse.forgets */
/* After swap() it visits one of its two fields. */
#define FIELDS int was_swapped;
#define BEFORE                                            \
    static PyObject* swap(PyObject* op, PyObject* none) { \
        Holder* self = (Holder*)op;                       \
        PyObject* item = self->item;                      \
        (void)none;                                       \
        self->item = self->other;                         \
        self->other = item;                               \
        self->was_swapped = item != NULL;                 \
        return Py_NewRef(Py_None);                        \
    }
#define METHODS {"swap", swap, METH_NOARGS, NULL},
#ifdef WRONG
#define TRAVERSE               \
    Py_VISIT(self->item);      \
    if (!self->was_swapped)    \
        Py_VISIT(self->other); \
    return 0;
#endif
#include "tests/contract-zoo/holder.h"
