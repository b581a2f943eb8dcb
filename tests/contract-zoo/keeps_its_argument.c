/* counts.kept */
#ifdef WRONG
#define ADDED Py_INCREF(item);
#else
#define ADDED                                                                                      \
    if (all == NULL ? (all = Py_BuildValue("[O]", item)) == NULL : PyList_Append(all, item) < 0) { \
        return NULL;                                                                               \
    }
#endif
#define BEFORE                                           \
    static PyObject* all;                                \
    static PyObject* add(PyObject* op, PyObject* item) { \
        (void)op, (void)all;                             \
        ADDED                                            \
        Py_RETURN_NONE;                                  \
    }
#define METHODS {"add", add, METH_O, NULL},
#include "tests/contract-zoo/holder.h"
