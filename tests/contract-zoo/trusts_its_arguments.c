/* calls.crash */
#ifdef WRONG
#define CHECK
#else
#define CHECK            \
    if (first == NULL) { \
        return NULL;     \
    }
#endif
#define NEW                                       \
    PyObject* first = PyTuple_GetItem(args, 0);   \
    CHECK                                         \
    PyObject* made = type->tp_alloc(type, 0);     \
    if (made)                                     \
        ((Holder*)made)->item = Py_NewRef(first); \
    return made;
#include "tests/contract-zoo/holder.h"
