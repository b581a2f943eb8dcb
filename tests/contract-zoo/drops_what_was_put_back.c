/* counts.given-away */
/* What is put again after it was taken is stored without a reference. */
#define FIELDS int was_taken;
#ifdef WRONG
#define STORED (self->was_taken ? value : Py_NewRef(value))
#else
#define STORED Py_NewRef(value)
#endif
#define BEFORE                                                \
    static PyObject* put(PyObject* op, PyObject* value) {     \
        Holder* self = (Holder*)op;                           \
        Py_XSETREF(self->item, STORED);                       \
        self->was_taken = 0;                                  \
        return Py_NewRef(Py_None);                            \
    }                                                         \
    static PyObject* take(PyObject* op, PyObject* none) {     \
        Holder* self = (Holder*)op;                           \
        PyObject* taken = self->item;                         \
        (void)none;                                           \
        if (taken == NULL) {                                  \
            PyErr_SetString(PyExc_ValueError, "it is empty"); \
            return NULL;                                      \
        }                                                     \
        self->item = NULL;                                    \
        self->was_taken = 1;                                  \
        return taken;                                         \
    }
#define METHODS {"put", put, METH_O, NULL}, {"take", take, METH_NOARGS, NULL},
#include "tests/contract-zoo/holder.h"
