/* traverse.unowned */
/* Rule broken: the list of weak references to an instance is not owned by it and must not be visited in tp_traverse (GC support, section on traversal). */
#include <Python.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject* item;
    PyObject* weakrefs;
} Target;

static int Target_traverse(Target* self, visitproc visit, void* arg) {
    Py_VISIT(self->item);
#ifdef WRONG
    Py_VISIT(self->weakrefs);
#endif
    return 0;
}

static int Target_clear(Target* self) {
    Py_CLEAR(self->item);
    return 0;
}

static void Target_dealloc(Target* self) {
    PyObject_GC_UnTrack(self);
    if (self->weakrefs != NULL) {
        PyObject_ClearWeakRefs((PyObject*)self);
    }
    Py_CLEAR(self->item);
    Py_TYPE(self)->tp_free((PyObject*)self);
}

static PyMemberDef Target_members[] = {{"item", T_OBJECT, offsetof(Target, item), 0, "anything"},
                                       {NULL}};

static PyTypeObject Target_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Target",
    .tp_basicsize = sizeof(Target),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_dealloc = (destructor)Target_dealloc,
    .tp_traverse = (traverseproc)Target_traverse,
    .tp_clear = (inquiry)Target_clear,
    .tp_weaklistoffset = offsetof(Target, weakrefs),
    .tp_members = Target_members,
};

static struct PyModuleDef zoo_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m;
    if (PyType_Ready(&Target_Type) < 0) {
        return NULL;
    }
    m = PyModule_Create(&zoo_module);
    if (m == NULL) {
        return NULL;
    }
    if (PyModule_AddObjectRef(m, "Target", (PyObject*)&Target_Type) < 0) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
