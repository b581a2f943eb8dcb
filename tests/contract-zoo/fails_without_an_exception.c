/* calls.no-exception */
#ifdef WRONG
#define SAY
#else
#define SAY PyErr_SetString(PyExc_ValueError, "it is not a number");
#endif
#define BEFORE                                               \
    static PyObject* number(PyObject* op, PyObject* value) { \
        (void)op;                                            \
        if (!PyLong_Check(value)) {                          \
            SAY return NULL;                                 \
        }                                                    \
        return Py_NewRef(value);                             \
    }
#define METHODS {"number", number, METH_O, NULL},
#include "tests/contract-zoo/holder.h"
