/* objects.resized-tracked */
/* Rule broken: an object must not be tracked by the collector while PyObject_GC_Resize moves it (Supporting Cyclic Garbage Collection, PyObject_GC_Resize). */
#include <Python.h>
#include <stddef.h>

#define FIRST_ROOM 4

/* ob_size is the room, used is how many cells of it are filled. */
typedef struct {
    PyObject_VAR_HEAD
    Py_ssize_t used;
    PyObject* cells[1];
} Row;

static PyObject* row_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    PyObject *iterable = NULL, *it = NULL, *cell;
    Row* self;

    if (!PyArg_ParseTuple(args, "|O:Row", &iterable)) {
        return NULL;
    }
    if (iterable != NULL && (it = PyObject_GetIter(iterable)) == NULL) {
        return NULL;
    }
    self = PyObject_GC_NewVar(Row, type, FIRST_ROOM);
    if (self == NULL) {
        Py_XDECREF(it);
        return NULL;
    }
    self->used = 0;
#ifdef WRONG
    PyObject_GC_Track((PyObject*)self);
#endif
    while (it != NULL && (cell = PyIter_Next(it)) != NULL) {
        if (self->used == Py_SIZE(self)) {
            Row* bigger = PyObject_GC_Resize(Row, self, 2 * self->used);
            if (bigger == NULL) {
                Py_DECREF(cell);
                break;
            }
            self = bigger;
        }
        self->cells[self->used++] = cell;
    }
    Py_XDECREF(it);
#ifndef WRONG
    PyObject_GC_Track((PyObject*)self);
#endif
    if (PyErr_Occurred()) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject*)self;
}

static int row_traverse(PyObject* op, visitproc visit, void* arg) {
    Row* self = (Row*)op;
    Py_ssize_t i;
    for (i = 0; i < self->used; i++) {
        Py_VISIT(self->cells[i]);
    }
    return 0;
}

static int row_clear(PyObject* op) {
    Row* self = (Row*)op;
    while (self->used > 0) {
        PyObject* cell = self->cells[--self->used];
        Py_DECREF(cell);
    }
    return 0;
}

static void row_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    row_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static Py_ssize_t row_length(PyObject* op) {
    return ((Row*)op)->used;
}

static PyObject* row_item(PyObject* op, Py_ssize_t i) {
    Row* self = (Row*)op;
    if (i < 0 || i >= self->used) {
        PyErr_SetString(PyExc_IndexError, "row index out of range");
        return NULL;
    }
    return Py_NewRef(self->cells[i]);
}

static int row_ass_item(PyObject* op, Py_ssize_t i, PyObject* value) {
    Row* self = (Row*)op;
    if (value == NULL) {
        PyErr_SetString(PyExc_TypeError, "cells cannot be deleted");
        return -1;
    }
    if (i < 0 || i >= self->used) {
        PyErr_SetString(PyExc_IndexError, "row index out of range");
        return -1;
    }
    PyObject* old = self->cells[i];
    self->cells[i] = Py_NewRef(value);
    Py_DECREF(old);
    return 0;
}

static PySequenceMethods row_as_sequence = {
    .sq_length = row_length,
    .sq_item = row_item,
    .sq_ass_item = row_ass_item,
};

static PyTypeObject row_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Row",
    .tp_basicsize = offsetof(Row, cells),
    .tp_itemsize = sizeof(PyObject*),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = row_new,
    .tp_dealloc = row_dealloc,
    .tp_traverse = row_traverse,
    .tp_clear = row_clear,
    .tp_as_sequence = &row_as_sequence,
};

static struct PyModuleDef zoo_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m;
    if (PyType_Ready(&row_type) < 0) {
        return NULL;
    }
    m = PyModule_Create(&zoo_module);
    if (m != NULL && PyModule_AddObjectRef(m, "Row", (PyObject*)&row_type) < 0) {
        Py_CLEAR(m);
    }
    return m;
}
