/* clear.unusable */
/* Rule broken: the object must still be valid after tp_clear; here looking up an attribute of a cleared proxy uses the NULL target (Supporting Cyclic Garbage Collection, inquiry). */
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject* target;
} Proxy;

static PyObject* proxy_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    PyObject* target = Py_None;
    if (!PyArg_ParseTuple(args, "|O:Proxy", &target))
        return NULL;
    Proxy* self = (Proxy*)type->tp_alloc(type, 0);
    if (self)
        self->target = Py_NewRef(target);
    return (PyObject*)self;
}

static int proxy_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(((Proxy*)op)->target);
    return 0;
}

static int proxy_clear(PyObject* op) {
    Py_CLEAR(((Proxy*)op)->target);
    return 0;
}

static void proxy_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    proxy_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
}

/* The proxy's own attributes first, then those of the target. */
static PyObject* proxy_getattro(PyObject* op, PyObject* name) {
    Proxy* self = (Proxy*)op;
    PyObject* found = PyObject_GenericGetAttr(op, name);
    if (found || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return found;
    PyErr_Clear();
#ifndef WRONG
    if (!self->target) {
        PyErr_SetString(PyExc_ReferenceError, "the target of the proxy is gone");
        return NULL;
    }
#endif
    if (Py_EnterRecursiveCall(" in a proxy"))
        return NULL;
    PyObject* target = self->target;
    Py_INCREF(target);
    found = PyObject_GetAttr(target, name);
    Py_DECREF(target);
    Py_LeaveRecursiveCall();
    return found;
}

static PyObject* proxy_get_wrapped(PyObject* op, void* closure) {
    PyObject* target = ((Proxy*)op)->target;
    return Py_NewRef(target ? target : Py_None);
}

static int proxy_set_wrapped(PyObject* op, PyObject* value, void* closure) {
    if (!value) {
        PyErr_SetString(PyExc_TypeError, "__wrapped__ cannot be deleted");
        return -1;
    }
    Py_XSETREF(((Proxy*)op)->target, Py_NewRef(value));
    return 0;
}

static PyObject* proxy_release(PyObject* op, PyObject* Py_UNUSED(ignored)) {
    proxy_clear(op);
    Py_RETURN_NONE;
}

static PyGetSetDef proxy_getset[] = {
    {"__wrapped__", proxy_get_wrapped, proxy_set_wrapped, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef proxy_methods[] = {
    {"release", proxy_release, METH_NOARGS, "let go of the target"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot proxy_slots[] = {
    {Py_tp_new, proxy_new},           {Py_tp_dealloc, proxy_dealloc},
    {Py_tp_traverse, proxy_traverse}, {Py_tp_clear, proxy_clear},
    {Py_tp_getattro, proxy_getattro}, {Py_tp_getset, proxy_getset},
    {Py_tp_methods, proxy_methods},   {0, NULL},
};

static PyType_Spec proxy_spec = {
    "zoo.Proxy", sizeof(Proxy), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, proxy_slots,
};

static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, "zoo", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* module = PyModule_Create(&zoo_module);
    if (!module)
        return NULL;
    PyObject* type = PyType_FromSpec(&proxy_spec);
    if (!type || PyModule_AddObjectRef(module, "Proxy", type) < 0)
        Py_CLEAR(module);
    Py_XDECREF(type);
    return module;
}
