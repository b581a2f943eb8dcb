/* counts.kept */
/* Breaks: a setter has to give up the reference to the value that it replaces; it overwrites the field ("Providing finer control over data attributes", the setter). */
#define HEAP

#ifdef WRONG
#define REPLACE(field, value) (field) = (value)
#else
#define REPLACE(field, value) Py_XSETREF(field, value)
#endif

#define BEFORE                                                                 \
    static PyObject* holder_get_item(PyObject* op, void* closure) {            \
        PyObject* item = ((Holder*)op)->item;                                  \
        (void)closure;                                                         \
        return Py_NewRef(item ? item : Py_None);                               \
    }                                                                          \
    static int holder_set_item(PyObject* op, PyObject* value, void* closure) { \
        Holder* self = (Holder*)op;                                            \
        (void)closure;                                                         \
        REPLACE(self->item, Py_XNewRef(value));                                \
        return 0;                                                              \
    }

#define PROPERTIES {"item", holder_get_item, holder_set_item, NULL, NULL},
#define MEMBERS {"other", Py_T_OBJECT_EX, offsetof(Holder, other), 0, NULL},

#include "tests/contract-zoo/holder.h"
