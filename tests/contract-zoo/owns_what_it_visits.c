/* traverse.counts */
#define NEW                                          \
    Holder* made = (Holder*)type->tp_alloc(type, 0); \
    if (made)                                        \
        made->item = PyList_New(0);                  \
    return (PyObject*)made;
#ifdef WRONG
#define TRAVERSE            \
    Py_XINCREF(self->item); \
    Py_VISIT(self->item);   \
    Py_VISIT(self->other);  \
    return 0;
#endif
#include "tests/contract-zoo/holder.h"
