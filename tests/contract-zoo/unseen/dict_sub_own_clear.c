/* clear.leaves */
/* Breaks: the clear handler must drop the references that may have made cycles, also those in the base type's part; the one of a dict subtype does not call dict's ("Supporting Cyclic Garbage Collection", inquiry; "Subclassing other types"). */
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

typedef struct {
    PyDictObject dict;
    PyObject* fallback;
} Defaults;

static int defaults_traverse(PyObject* op, visitproc visit, void* arg) {
    /* dict is a static type and does not visit the type for us */
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(((Defaults*)op)->fallback);
    return PyDict_Type.tp_traverse(op, visit, arg);
}

static int defaults_clear(PyObject* op) {
    Py_CLEAR(((Defaults*)op)->fallback);
#ifdef WRONG
    return 0;
#else
    return PyDict_Type.tp_clear(op);
#endif
}

static void defaults_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);

    PyObject_GC_UnTrack(op);
    Py_CLEAR(((Defaults*)op)->fallback);
    PyDict_Type.tp_dealloc(op);
    Py_DECREF(type);
}

static PyObject* defaults_missing(PyObject* op, PyObject* key) {
    PyObject* fallback = ((Defaults*)op)->fallback;

    if (fallback == NULL) {
        PyErr_SetObject(PyExc_KeyError, key);
        return NULL;
    }
    return Py_NewRef(fallback);
}

static PyMethodDef defaults_methods[] = {
    {"__missing__", defaults_missing, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef defaults_members[] = {
    {"fallback", T_OBJECT_EX, offsetof(Defaults, fallback), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot defaults_slots[] = {
    {Py_tp_dealloc, defaults_dealloc}, {Py_tp_traverse, defaults_traverse},
    {Py_tp_clear, defaults_clear},     {Py_tp_methods, defaults_methods},
    {Py_tp_members, defaults_members}, {0, NULL},
};

static PyType_Spec defaults_spec = {
    .name = "zoo.Defaults",
    .basicsize = sizeof(Defaults),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = defaults_slots,
};

static int zoo_exec(PyObject* module) {
    PyObject *bases, *type;
    int rc;

    bases = PyTuple_Pack(1, (PyObject*)&PyDict_Type);
    if (bases == NULL) {
        return -1;
    }
    type = PyType_FromSpecWithBases(&defaults_spec, bases);
    Py_DECREF(bases);
    if (type == NULL) {
        return -1;
    }
    rc = PyModule_AddType(module, (PyTypeObject*)type);
    Py_DECREF(type);
    return rc;
}

static PyModuleDef_Slot zoo_slots[] = {
    {Py_mod_exec, zoo_exec},
    {0, NULL},
};

static struct PyModuleDef zoo_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_slots = zoo_slots,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    return PyModuleDef_Init(&zoo_def);
}
