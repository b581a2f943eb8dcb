/* types.type-visited-twice */
/* Breaks: a traverse handler that leaves the visit of the type to its heap-allocated base class must not visit the type as well, since the instance holds just one reference to it ("Traversal", paragraph on heap-allocated types). */
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject* label;
} BaseObject;

typedef struct {
    BaseObject base;
    PyObject* extra;
} LeafObject;

/* ---- Base ---- */

static int base_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(((BaseObject*)op)->label);
    return 0;
}

static int base_clear(PyObject* op) {
    Py_CLEAR(((BaseObject*)op)->label);
    return 0;
}

static void base_dealloc(PyObject* op) {
    PyTypeObject* tp = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    (void)base_clear(op);
    tp->tp_free(op);
    Py_DECREF(tp);
}

static PyMemberDef base_members[] = {{"label", T_OBJECT_EX, offsetof(BaseObject, label), 0, NULL},
                                     {NULL}};

static PyType_Slot base_slots[] = {{Py_tp_traverse, base_traverse}, {Py_tp_clear, base_clear},
                                   {Py_tp_dealloc, base_dealloc},   {Py_tp_new, PyType_GenericNew},
                                   {Py_tp_members, base_members},   {0, NULL}};

static PyType_Spec base_spec = {
    .name = "zoo.Base",
    .basicsize = sizeof(BaseObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = base_slots,
};

/* ---- Leaf ---- */

static int leaf_traverse(PyObject* op, visitproc visit, void* arg) {
    int err = base_traverse(op, visit, arg);
    if (err) {
        return err;
    }
#ifdef WRONG
    Py_VISIT(Py_TYPE(op));
#endif
    Py_VISIT(((LeafObject*)op)->extra);
    return 0;
}

static int leaf_clear(PyObject* op) {
    Py_CLEAR(((LeafObject*)op)->extra);
    return base_clear(op);
}

static void leaf_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Py_CLEAR(((LeafObject*)op)->extra);
    base_dealloc(op);
}

static PyMemberDef leaf_members[] = {{"extra", T_OBJECT_EX, offsetof(LeafObject, extra), 0, NULL},
                                     {NULL}};

static PyType_Slot leaf_slots[] = {{Py_tp_traverse, leaf_traverse}, {Py_tp_clear, leaf_clear},
                                   {Py_tp_dealloc, leaf_dealloc},   {Py_tp_new, PyType_GenericNew},
                                   {Py_tp_members, leaf_members},   {0, NULL}};

static PyType_Spec leaf_spec = {
    .name = "zoo.Leaf",
    .basicsize = sizeof(LeafObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = leaf_slots,
};

static int zoo_exec(PyObject* m) {
    PyObject *base, *bases, *leaf;
    int rc;

    base = PyType_FromSpec(&base_spec);
    if (base == NULL) {
        return -1;
    }
    bases = PyTuple_Pack(1, base);
    if (bases == NULL) {
        Py_DECREF(base);
        return -1;
    }
    leaf = PyType_FromSpecWithBases(&leaf_spec, bases);
    Py_DECREF(bases);
    if (leaf == NULL) {
        Py_DECREF(base);
        return -1;
    }
    rc = PyModule_AddType(m, (PyTypeObject*)base);
    if (rc == 0) {
        rc = PyModule_AddType(m, (PyTypeObject*)leaf);
    }
    Py_DECREF(base);
    Py_DECREF(leaf);
    return rc;
}

static PyModuleDef_Slot zoo_slots[] = {{Py_mod_exec, zoo_exec}, {0, NULL}};

static struct PyModuleDef zoo_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_size = 0,
    .m_slots = zoo_slots,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    return PyModuleDef_Init(&zoo_def);
}
