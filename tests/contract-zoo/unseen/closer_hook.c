/* finalize.exception */
/* Rule broken: a finalizer must leave the current exception as it found it; here tp_finalize runs the hook without saving it, and it is lost (tutorial, Finalization and De-allocation; tp_finalize). */
#include <Python.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject* on_close;
} Closer;

static void Closer_finalize(PyObject* op) {
    Closer* self = (Closer*)op;
    PyObject* hook = self->on_close;
    PyObject* result;
#ifndef WRONG
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
#endif
    if (hook != NULL) {
        Py_INCREF(hook);
        result = PyObject_CallNoArgs(hook);
        if (result == NULL) {
            PyErr_WriteUnraisable(hook);
        }
        Py_XDECREF(result);
        Py_DECREF(hook);
    }
#ifndef WRONG
    PyErr_Restore(type, value, traceback);
#endif
}

static int Closer_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(((Closer*)op)->on_close);
    return 0;
}

static int Closer_clear(PyObject* op) {
    Py_CLEAR(((Closer*)op)->on_close);
    return 0;
}

static void Closer_dealloc(PyObject* op) {
    if (PyObject_CallFinalizerFromDealloc(op) < 0) {
        return;
    }
    PyObject_GC_UnTrack(op);
    Closer_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static int Closer_init(PyObject* op, PyObject* args, PyObject* kwargs) {
    static char* names[] = {"on_close", NULL};
    PyObject* hook = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:Closer", names, &hook)) {
        return -1;
    }
    Py_XSETREF(((Closer*)op)->on_close, Py_XNewRef(hook));
    return 0;
}

static PyMemberDef Closer_members[] = {{"on_close", T_OBJECT, offsetof(Closer, on_close), 0, NULL},
                                       {NULL}};

static PyTypeObject Closer_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Closer",
    .tp_basicsize = sizeof(Closer),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_init = Closer_init,
    .tp_dealloc = Closer_dealloc,
    .tp_finalize = Closer_finalize,
    .tp_traverse = Closer_traverse,
    .tp_clear = Closer_clear,
    .tp_members = Closer_members,
};

static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_size = -1};

PyMODINIT_FUNC PyInit_zoo(void) {
    if (PyType_Ready(&Closer_Type) < 0) {
        return NULL;
    }
    PyObject* m = PyModule_Create(&zoo_module);
    if (m == NULL) {
        return NULL;
    }
    if (PyModule_AddObjectRef(m, "Closer", (PyObject*)&Closer_Type) < 0) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
