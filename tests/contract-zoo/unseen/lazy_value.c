/* calls.no-exception */
/* Rule broken: a function that returns a value must leave no exception set; here the fallback is returned with the factory's exception still pending (C API, exceptions). */
#include "structmember.h"
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject* factory;
    PyObject* fallback;
    PyObject* cached;
} Lazy;

static int Lazy_traverse(Lazy* self, visitproc visit, void* arg) {
    Py_VISIT(self->factory);
    Py_VISIT(self->fallback);
    Py_VISIT(self->cached);
    return 0;
}

static int Lazy_clear(Lazy* self) {
    Py_CLEAR(self->factory);
    Py_CLEAR(self->fallback);
    Py_CLEAR(self->cached);
    return 0;
}

static void Lazy_dealloc(Lazy* self) {
    PyObject_GC_UnTrack(self);
    Lazy_clear(self);
    Py_TYPE(self)->tp_free((PyObject*)self);
}

/* The value is computed once, or is the fallback when the factory fails. */
static PyObject* Lazy_get_value(Lazy* self, void* closure) {
    PyObject *factory, *value;

    if (self->cached != NULL) {
        return Py_NewRef(self->cached);
    }
    factory = self->factory;
    if (factory == NULL) {
        PyErr_SetString(PyExc_AttributeError, "no factory");
        return NULL;
    }
    Py_INCREF(factory);
    value = PyObject_CallNoArgs(factory);
    Py_DECREF(factory);
    if (value == NULL) {
        if (self->fallback == NULL || !PyErr_ExceptionMatches(PyExc_Exception)) {
            return NULL;
        }
        value = Py_NewRef(self->fallback);
#ifndef WRONG
        PyErr_Clear();
#endif
    }
    Py_XSETREF(self->cached, Py_NewRef(value));
    return value;
}

static PyObject* Lazy_invalidate(Lazy* self, PyObject* Py_UNUSED(ignored)) {
    Py_CLEAR(self->cached);
    Py_RETURN_NONE;
}

static PyMemberDef Lazy_members[] = {{"factory", T_OBJECT, offsetof(Lazy, factory), 0, NULL},
                                     {"fallback", T_OBJECT, offsetof(Lazy, fallback), 0, NULL},
                                     {NULL}};

static PyGetSetDef Lazy_getset[] = {{"value", (getter)Lazy_get_value, NULL, NULL, NULL}, {NULL}};

static PyMethodDef Lazy_methods[] = {
    {"invalidate", (PyCFunction)Lazy_invalidate, METH_NOARGS, NULL}, {NULL}};

static PyTypeObject Lazy_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Lazy",
    .tp_basicsize = sizeof(Lazy),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_new = PyType_GenericNew,
    .tp_dealloc = (destructor)Lazy_dealloc,
    .tp_traverse = (traverseproc)Lazy_traverse,
    .tp_clear = (inquiry)Lazy_clear,
    .tp_members = Lazy_members,
    .tp_getset = Lazy_getset,
    .tp_methods = Lazy_methods,
};

static struct PyModuleDef zoo_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_doc = "values computed when first asked for",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m;
    if (PyType_Ready(&Lazy_Type) < 0)
        return NULL;
    m = PyModule_Create(&zoo_module);
    if (m == NULL)
        return NULL;
    Py_INCREF(&Lazy_Type);
    if (PyModule_AddObject(m, "Lazy", (PyObject*)&Lazy_Type) < 0) {
        Py_DECREF(&Lazy_Type);
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
