/* objects.freed-tracked */
#ifdef WRONG
#define DROP type->tp_free(made);
#else
#define DROP Py_DECREF(made);
#endif
#define NEW                                          \
    Holder* made = (Holder*)type->tp_alloc(type, 0); \
    if (made && !(made->item = PyList_New(0))) {     \
        DROP return NULL;                            \
    }                                                \
    return (PyObject*)made;
#include "tests/contract-zoo/holder.h"
