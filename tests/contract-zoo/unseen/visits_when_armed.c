/* traverse.forgets */
/* Breaks: traverse has to visit every object the instance owns, whatever state the instance is in; one field is visited only while a flag is set ("Traversal", traverseproc). */
#define FIELDS int armed;

#define BEFORE                                                     \
    static PyObject* holder_arm(PyObject* op, PyObject* none) {    \
        (void)none;                                                \
        ((Holder*)op)->armed = 1;                                  \
        Py_RETURN_NONE;                                            \
    }                                                              \
    static PyObject* holder_disarm(PyObject* op, PyObject* none) { \
        (void)none;                                                \
        ((Holder*)op)->armed = 0;                                  \
        Py_RETURN_NONE;                                            \
    }

#define METHODS \
    {"arm", holder_arm, METH_NOARGS, NULL}, {"disarm", holder_disarm, METH_NOARGS, NULL},

#ifdef WRONG
#define TRAVERSE               \
    Py_VISIT(self->item);      \
    if (self->armed) {         \
        Py_VISIT(self->other); \
    }                          \
    return 0;
#else
#define TRAVERSE           \
    Py_VISIT(self->item);  \
    Py_VISIT(self->other); \
    return 0;
#endif

#include "tests/contract-zoo/holder.h"
