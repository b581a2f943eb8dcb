/* calls.no-exception */
/* Rule broken: a function that returns NULL must have set an exception; here calling an instance without a function returns NULL bare (C API, exceptions). */
#include <Python.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject* func;
    PyObject* owner;
} Bound;

static PyObject* bound_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    static char* names[] = {"func", "owner", NULL};
    PyObject *func = NULL, *owner = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:Bound", names, &func, &owner)) {
        return NULL;
    }
    Bound* self = (Bound*)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->func = Py_XNewRef(func);
        self->owner = Py_XNewRef(owner);
    }
    return (PyObject*)self;
}

static int bound_traverse(PyObject* op, visitproc visit, void* arg) {
    Bound* self = (Bound*)op;
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(self->func);
    Py_VISIT(self->owner);
    return 0;
}

static int bound_clear(PyObject* op) {
    Bound* self = (Bound*)op;
    Py_CLEAR(self->func);
    Py_CLEAR(self->owner);
    return 0;
}

static void bound_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    bound_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
}

static PyObject* bound_call(PyObject* op, PyObject* args, PyObject* kwargs) {
    Bound* self = (Bound*)op;
    if (self->func == NULL) {
#ifndef WRONG
        PyErr_SetString(PyExc_TypeError, "nothing is bound");
#endif
        return NULL;
    }
    Py_ssize_t n = PyTuple_GET_SIZE(args);
    PyObject* full = PyTuple_New(n + 1);
    if (full == NULL) {
        return NULL;
    }
    PyTuple_SET_ITEM(full, 0, Py_NewRef(self->owner ? self->owner : Py_None));
    for (Py_ssize_t i = 0; i < n; i++) {
        PyTuple_SET_ITEM(full, i + 1, Py_NewRef(PyTuple_GET_ITEM(args, i)));
    }
    PyObject* func = Py_NewRef(self->func);
    PyObject* result = PyObject_Call(func, full, kwargs);
    Py_DECREF(func);
    Py_DECREF(full);
    return result;
}

static PyMemberDef bound_members[] = {{"func", T_OBJECT, offsetof(Bound, func), 0, NULL},
                                      {"owner", T_OBJECT, offsetof(Bound, owner), 0, NULL},
                                      {NULL}};

static PyType_Slot bound_slots[] = {{Py_tp_new, bound_new},
                                    {Py_tp_dealloc, bound_dealloc},
                                    {Py_tp_traverse, bound_traverse},
                                    {Py_tp_clear, bound_clear},
                                    {Py_tp_call, bound_call},
                                    {Py_tp_members, bound_members},
                                    {0, NULL}};

static PyType_Spec bound_spec = {
    .name = "zoo.Bound",
    .basicsize = sizeof(Bound),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = bound_slots,
};

static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_size = -1};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* module = PyModule_Create(&zoo_module);
    if (module == NULL) {
        return NULL;
    }
    PyObject* type = PyType_FromSpec(&bound_spec);
    if (type == NULL || PyModule_AddObjectRef(module, "Bound", type) < 0) {
        Py_XDECREF(type);
        Py_DECREF(module);
        return NULL;
    }
    Py_DECREF(type);
    return module;
}
