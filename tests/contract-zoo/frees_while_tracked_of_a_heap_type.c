/* objects.freed-tracked */
#define HEAP
#ifdef WRONG
#define DEALLOC            \
    Py_CLEAR(self->item);  \
    Py_CLEAR(self->other); \
    type->tp_free(self);   \
    Py_DECREF(type);
#endif
#include "tests/contract-zoo/holder.h"
