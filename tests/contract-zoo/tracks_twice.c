/* objects.tracked-twice */
#ifdef WRONG
#define NEW                                   \
    PyObject* made = type->tp_alloc(type, 0); \
    if (made)                                 \
        PyObject_GC_Track(made);              \
    return made;
#else
#define NEW                                   \
    PyObject* made = type->tp_alloc(type, 0); \
    if (made) {                               \
        PyObject_GC_UnTrack(made);            \
        PyObject_GC_Track(made);              \
    }                                         \
    return made;
#endif
#include "tests/contract-zoo/holder.h"
