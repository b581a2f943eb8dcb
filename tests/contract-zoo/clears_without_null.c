/* clear.crashes */
#ifdef WRONG
#define CLEAR               \
    Py_XDECREF(self->item); \
    Py_CLEAR(self->other);
#endif
#include "tests/contract-zoo/holder.h"
