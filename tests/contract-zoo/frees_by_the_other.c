/* types.free */
#ifdef WRONG
#define MORE .tp_free = PyObject_Free,
#else
#define MORE .tp_free = PyObject_GC_Del,
#endif
#include "tests/contract-zoo/holder.h"
