/* The tutorial's fifth module: a type derived from list. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifndef MODULE
#define MODULE sublist
#endif

typedef struct {
    PyListObject list;
    int state;
} SubListObject;

static PyObject* SubList_increment(SubListObject* self, PyObject* unused) {
    (void)unused;
    self->state++;
    return PyLong_FromLong(self->state);
}

static PyMethodDef SubList_methods[] = {
    {"increment", (PyCFunction)SubList_increment, METH_NOARGS,
     PyDoc_STR("increment state counter")},
    {NULL},
};

static int SubList_init(SubListObject* self, PyObject* args, PyObject* kwds) {
    if (PyList_Type.tp_init((PyObject*)self, args, kwds) < 0)
        return -1;
    self->state = 0;
    return 0;
}

static PyTypeObject SubListType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "sublist.SubList",
    .tp_doc = PyDoc_STR("SubList objects"),
    .tp_basicsize = sizeof(SubListObject),
    .tp_itemsize = 0,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_init = (initproc)SubList_init,
    .tp_methods = SubList_methods,
};

#define TYPE SubListType
#define TYPE_NAME "SubList"
#define BASE PyList_Type
#include "tests/same/modules/ending.h"
