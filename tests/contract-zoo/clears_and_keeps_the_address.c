/* clear.twice */
#ifdef WRONG
#define CLEAR             \
    Py_CLEAR(self->item); \
    Py_XDECREF(self->other);
#endif
#include "tests/contract-zoo/holder.h"
