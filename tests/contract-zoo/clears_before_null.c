/* clear.drops-first */
#ifdef WRONG
#define CLEAR               \
    Py_XDECREF(self->item); \
    self->item = NULL;      \
    Py_CLEAR(self->other);
#else
#define CLEAR                    \
    PyObject* item = self->item; \
    self->item = NULL;           \
    Py_XDECREF(item);            \
    Py_CLEAR(self->other);
#endif
#include "tests/contract-zoo/holder.h"
