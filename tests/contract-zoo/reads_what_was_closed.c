/* calls.crash */
/* read() after open() and close(). */
#define FIELDS char *text, *end;
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);     \
    PyMem_Free(self->text);    \
    type->tp_free(self);
#ifdef WRONG
#define IS_OPEN (self->end != NULL)
#else
#define IS_OPEN (self->text != NULL)
#endif
#define BEFORE                                                              \
    static PyObject* open_it(PyObject* op, PyObject* none) {                \
        Holder* self = (Holder*)op;                                         \
        (void)none;                                                         \
        if (self->text == NULL)                                             \
            self->text = PyMem_Calloc(1, 16);                               \
        if (self->text == NULL)                                             \
            return PyErr_NoMemory();                                        \
        self->end = self->text + 1;                                         \
        return Py_NewRef(Py_None);                                          \
    }                                                                       \
    static PyObject* close_it(PyObject* op, PyObject* none) {               \
        Holder* self = (Holder*)op;                                         \
        (void)none;                                                         \
        PyMem_Free(self->text);                                             \
        self->text = NULL;                                                  \
        return Py_NewRef(Py_None);                                          \
    }                                                                       \
    static PyObject* read_it(PyObject* op, PyObject* none) {                \
        Holder* self = (Holder*)op;                                         \
        (void)none;                                                         \
        return PyLong_FromLong(IS_OPEN ? *(volatile char*)self->text : -1); \
    }
#define METHODS                                                                   \
    {"open", open_it, METH_NOARGS, NULL}, {"close", close_it, METH_NOARGS, NULL}, \
        {"read", read_it, METH_NOARGS, NULL},
#include "tests/contract-zoo/holder.h"
