/* clear.unusable */
#ifdef WRONG
#define CHECK
#else
#define CHECK                                                \
    if (self->item == NULL) {                                \
        PyErr_SetString(PyExc_ValueError, "it was cleared"); \
        return NULL;                                         \
    }
#endif
#define BEFORE                                                  \
    static PyObject* size(PyObject* op, PyObject* none) {       \
        Holder* self = (Holder*)op;                             \
        (void)none;                                             \
        CHECK                                                   \
        return PyLong_FromSsize_t(PyList_GET_SIZE(self->item)); \
    }
#define METHODS {"size", size, METH_NOARGS, NULL},
#define MEMBERS
#define NEW NEW_WITH_LIST
#include "tests/contract-zoo/holder.h"
