/* counts.kept */
/* Breaks: a constructor that fails has to give up the references it has taken; the first item is lost when there is no second one ("Adding data and methods to the Basic example", the constructor's error paths). */
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject* first;
    PyObject* second;
} Couple;

static PyObject* couple_new(PyTypeObject* type, PyObject* args, PyObject* kwds) {
    PyObject *source = NULL, *first = NULL, *second = NULL;
    Couple* self;

    if (!PyArg_ParseTuple(args, "|O:Couple", &source))
        return NULL;
    if (source != NULL) {
        first = PySequence_GetItem(source, 0);
        if (first == NULL)
            return NULL;
        second = PySequence_GetItem(source, 1);
        if (second == NULL) {
#ifndef WRONG
            Py_DECREF(first);
#endif
            return NULL;
        }
    }
    self = (Couple*)type->tp_alloc(type, 0);
    if (self == NULL) {
        Py_XDECREF(first);
        Py_XDECREF(second);
        return NULL;
    }
    self->first = first;
    self->second = second;
    return (PyObject*)self;
}

static int couple_traverse(PyObject* op, visitproc visit, void* arg) {
    Couple* self = (Couple*)op;

    Py_VISIT(self->first);
    Py_VISIT(self->second);
    return 0;
}

static int couple_clear(PyObject* op) {
    Couple* self = (Couple*)op;

    Py_CLEAR(self->first);
    Py_CLEAR(self->second);
    return 0;
}

static void couple_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    couple_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static PyObject* couple_swap(PyObject* op, PyObject* unused) {
    Couple* self = (Couple*)op;
    PyObject* first = self->first;

    self->first = self->second;
    self->second = first;
    Py_RETURN_NONE;
}

static PyMemberDef couple_members[] = {{"first", T_OBJECT, offsetof(Couple, first), 0, NULL},
                                       {"second", T_OBJECT, offsetof(Couple, second), 0, NULL},
                                       {NULL}};

static PyMethodDef couple_methods[] = {{"swap", couple_swap, METH_NOARGS, NULL}, {NULL}};

static PyTypeObject couple_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Couple",
    .tp_basicsize = sizeof(Couple),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_dealloc = couple_dealloc,
    .tp_traverse = couple_traverse,
    .tp_clear = couple_clear,
    .tp_methods = couple_methods,
    .tp_members = couple_members,
    .tp_new = couple_new,
};

static struct PyModuleDef zoo_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m = PyModule_Create(&zoo_def);

    if (m == NULL)
        return NULL;
    if (PyModule_AddType(m, &couple_type) < 0) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
