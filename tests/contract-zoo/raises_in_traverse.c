/* traverse.raises traverse.unsafe-call */
#ifdef WRONG
#define TRAVERSE                                      \
    PyErr_SetString(PyExc_ValueError, "in traverse"); \
    Py_VISIT(self->item);                             \
    Py_VISIT(self->other);                            \
    return 0;
#endif
#include "tests/contract-zoo/holder.h"
