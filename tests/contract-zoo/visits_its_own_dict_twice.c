/* traverse.unowned */
/* Attributes of any name, in a dict of the instance's own. */
#ifdef WRONG
#define VISIT_AGAIN Py_VISIT(self->other);
#else
#define VISIT_AGAIN
#endif
#define TRAVERSE           \
    Py_VISIT(self->item);  \
    Py_VISIT(self->other); \
    VISIT_AGAIN            \
    return 0;
#define MEMBERS
#define BEFORE                                                          \
    static int set_any(PyObject* op, PyObject* name, PyObject* value) { \
        Holder* self = (Holder*)op;                                     \
        if (!self->other && !(self->other = PyDict_New())) {            \
            return -1;                                                  \
        }                                                               \
        return value ? PyDict_SetItem(self->other, name, value)         \
                     : PyDict_DelItem(self->other, name);               \
    }
#define MORE .tp_setattro = set_any,
#include "tests/contract-zoo/holder.h"
