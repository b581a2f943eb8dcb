/* objects.freed-tracked */
#ifdef WRONG
#define DEALLOC            \
    Py_CLEAR(self->item);  \
    Py_CLEAR(self->other); \
    type->tp_free(self);
#endif
#include "tests/contract-zoo/holder.h"
