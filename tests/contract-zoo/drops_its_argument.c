/* counts.given-away */
#ifdef WRONG
#define ADDED Py_DECREF(item);
#else
#define ADDED
#endif
#define BEFORE                                           \
    static PyObject* add(PyObject* op, PyObject* item) { \
        (void)op, (void)item;                            \
        ADDED                                            \
        Py_RETURN_NONE;                                  \
    }
#define METHODS {"add", add, METH_O, NULL},
#include "tests/contract-zoo/holder.h"
