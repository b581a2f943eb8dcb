/* counts.given-away */
/* Breaks: a method that returns an object kept in a field has to return a reference of its own; it returns the field's ("Providing finer control over data attributes", the getter's increment). */
#ifdef WRONG
#define RETURNED(object) (object)
#else
#define RETURNED(object) Py_NewRef(object)
#endif

#define BEFORE                                                   \
    static PyObject* holder_peek(PyObject* op, PyObject* none) { \
        PyObject* item = ((Holder*)op)->item;                    \
        (void)none;                                              \
        if (item == NULL) {                                      \
            PyErr_SetString(PyExc_LookupError, "nothing held");  \
            return NULL;                                         \
        }                                                        \
        return RETURNED(item);                                   \
    }

#define METHODS {"peek", holder_peek, METH_NOARGS, NULL},

#include "tests/contract-zoo/holder.h"
