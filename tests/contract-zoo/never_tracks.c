/* objects.never-tracked */
#ifdef WRONG
#define NEW                                       \
    Holder* made = PyObject_GC_New(Holder, type); \
    if (made)                                     \
        made->item = made->other = NULL;          \
    return (PyObject*)made;
#endif
#include "tests/contract-zoo/holder.h"
