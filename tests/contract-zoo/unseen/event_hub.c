/* clear.leaves */
/* Rule broken: tp_clear must drop every reference that can close a cycle; here the handler, added later than the other fields, is visited but not cleared (Supporting Cyclic Garbage Collection, inquiry). */
#define FIELDS PyObject* handler;
#define MEMBERS                                                      \
    {"item", Py_T_OBJECT_EX, offsetof(Holder, item), 0, NULL},       \
        {"other", Py_T_OBJECT_EX, offsetof(Holder, other), 0, NULL}, \
        {"handler", Py_T_OBJECT_EX, offsetof(Holder, handler), 0, NULL},
#define TRAVERSE             \
    VISIT_TYPE               \
    Py_VISIT(self->item);    \
    Py_VISIT(self->other);   \
    Py_VISIT(self->handler); \
    return 0;
#ifdef WRONG
#define CLEAR             \
    Py_CLEAR(self->item); \
    Py_CLEAR(self->other);
#else
#define CLEAR              \
    Py_CLEAR(self->item);  \
    Py_CLEAR(self->other); \
    Py_CLEAR(self->handler);
#endif
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);     \
    Py_CLEAR(self->handler);   \
    type->tp_free(self);       \
    DROP_TYPE
#define BEFORE                                                    \
    static PyObject* holder_emit(PyObject* op, PyObject* event) { \
        PyObject* handler = ((Holder*)op)->handler;               \
        if (handler == NULL) {                                    \
            Py_RETURN_NONE;                                       \
        }                                                         \
        Py_INCREF(handler);                                       \
        PyObject* result = PyObject_CallOneArg(handler, event);   \
        Py_DECREF(handler);                                       \
        return result;                                            \
    }
#define METHODS {"emit", holder_emit, METH_O, "hand an event to the handler"},
#include "tests/contract-zoo/holder.h"
