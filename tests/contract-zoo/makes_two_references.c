/* counts.new */
#ifdef WRONG
#define NEW                                   \
    PyObject* made = type->tp_alloc(type, 0); \
    return Py_XNewRef(made);
#else
/* The list of all instances. */
#define BEFORE static PyObject* all;
#define NEW                                                                         \
    PyObject* made = all || (all = PyList_New(0)) ? type->tp_alloc(type, 0) : NULL; \
    if (made && PyList_Append(all, made) < 0) {                                     \
        Py_CLEAR(made);                                                             \
    }                                                                               \
    return made;
#endif
#include "tests/contract-zoo/holder.h"
