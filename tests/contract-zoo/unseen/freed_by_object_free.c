/* types.free */
/* Breaks: memory of a container object has to be released by PyObject_GC_Del; the type names PyObject_Free, which is its counterpart for objects without GC ("Supporting Cyclic Garbage Collection", PyObject_GC_Del). */
#ifdef WRONG
#define MORE .tp_free = PyObject_Free,
#else
#define MORE .tp_free = PyObject_GC_Del,
#endif

#include "tests/contract-zoo/holder.h"
