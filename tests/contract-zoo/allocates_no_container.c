/* objects.wrong-family */
#ifdef WRONG
#define NEW                                    \
    Holder* made = PyObject_New(Holder, type); \
    if (made)                                  \
        made->item = made->other = NULL;       \
    return (PyObject*)made;
#else
#define NEW                                       \
    Holder* made = PyObject_GC_New(Holder, type); \
    if (made) {                                   \
        made->item = made->other = NULL;          \
        PyObject_GC_Track(made);                  \
    }                                             \
    return (PyObject*)made;
#endif
#include "tests/contract-zoo/holder.h"
