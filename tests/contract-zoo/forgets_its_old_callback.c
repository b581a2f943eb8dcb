/* counts.kept */
/* The callback that another takes the place of is not dropped; a field that nothing else is stored in. */
#define FIELDS PyObject* callback;
#ifdef WRONG
#define SET(field, value) (field) = (value)
#else
#define SET(field, value) Py_XSETREF(field, value)
#endif
#define BEFORE                                                                   \
    static PyObject* on_change(PyObject* op, PyObject* callback) {               \
        Holder* self = (Holder*)op;                                              \
        if (!PyCallable_Check(callback)) {                                       \
            PyErr_SetString(PyExc_TypeError, "a callback is something to call"); \
            return NULL;                                                         \
        }                                                                        \
        SET(self->callback, Py_NewRef(callback));                                \
        return Py_NewRef(Py_None);                                               \
    }
#define TRAVERSE              \
    Py_VISIT(self->item);     \
    Py_VISIT(self->other);    \
    Py_VISIT(self->callback); \
    return 0;
#define CLEAR              \
    Py_CLEAR(self->item);  \
    Py_CLEAR(self->other); \
    Py_CLEAR(self->callback);
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);     \
    Py_CLEAR(self->callback);  \
    type->tp_free(self);
#define METHODS {"on_change", on_change, METH_O, NULL},
#include "tests/contract-zoo/holder.h"
