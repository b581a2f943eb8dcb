/* traverse.unsafe-call */
#define NEW NEW_WITH_LIST
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
