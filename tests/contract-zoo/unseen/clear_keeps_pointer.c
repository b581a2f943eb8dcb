/* clear.twice */
/* Breaks: the object must still be valid after its clear handler, which therefore may not just decrement a reference and leave the pointer in the field ("Supporting Cyclic Garbage Collection", inquiry). */
#ifdef WRONG
#define CLEAR               \
    Py_XDECREF(self->item); \
    Py_CLEAR(self->other);
#else
#define CLEAR             \
    Py_CLEAR(self->item); \
    Py_CLEAR(self->other);
#endif

#include "tests/contract-zoo/holder.h"
