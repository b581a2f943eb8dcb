/* traverse.unsafe-call */
#define NEW                                          \
    Holder* made = (Holder*)type->tp_alloc(type, 0); \
    if (made)                                        \
        made->item = PyList_New(0);                  \
    return (PyObject*)made;
#ifdef WRONG
#define TRAVERSE                                       \
    if (self->item && PyObject_Length(self->item) < 0) \
        return 0;                                      \
    Py_VISIT(self->item);                              \
    Py_VISIT(self->other);                             \
    return 0;
#else
#define TRAVERSE                                                                         \
    if (self->item && PyObject_TypeCheck(self->item, &PyList_Type) && Py_SIZE(self) < 0) \
        return 0;                                                                        \
    Py_VISIT(self->item);                                                                \
    Py_VISIT(self->other);                                                               \
    return 0;
#endif
#include "tests/contract-zoo/holder.h"
