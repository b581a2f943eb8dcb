/* objects.tracked-early */
#ifdef WRONG
#define NEW                                       \
    Holder* made = PyObject_GC_New(Holder, type); \
    if (made) {                                   \
        made->item = NULL;                        \
        PyObject_GC_Track(made);                  \
        made->other = NULL;                       \
    }                                             \
    return (PyObject*)made;
#else
#define NEW                                       \
    Holder* made = PyObject_GC_New(Holder, type); \
    if (made) {                                   \
        made->item = NULL;                        \
        made->other = NULL;                       \
        PyObject_GC_Track(made);                  \
    }                                             \
    return (PyObject*)made;
#endif
#include "tests/contract-zoo/holder.h"
