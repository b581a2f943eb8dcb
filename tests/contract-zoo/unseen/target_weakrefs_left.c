/* dealloc.weak-references */
/* Breaks: an object with a list of weak references must clear them in its deallocator, since they do not keep it alive and must not be left pointing at it; it does not ("Traversal", paragraph on the weak reference list; rules for the deallocator). */
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject* subject;
    PyObject* note;
    PyObject* weakreflist;
} Target;

static void target_dealloc(PyObject* op) {
    Target* self = (Target*)op;

    PyObject_GC_UnTrack(op);
#ifndef WRONG
    if (self->weakreflist != NULL) {
        PyObject_ClearWeakRefs(op);
    }
#endif
    Py_CLEAR(self->subject);
    Py_CLEAR(self->note);
    Py_TYPE(op)->tp_free(op);
}

static int target_traverse(PyObject* op, visitproc visit, void* arg) {
    Target* self = (Target*)op;

    Py_VISIT(self->subject);
    Py_VISIT(self->note);
    return 0;
}

static int target_clear(PyObject* op) {
    Target* self = (Target*)op;

    Py_CLEAR(self->subject);
    Py_CLEAR(self->note);
    return 0;
}

static PyMemberDef target_members[] = {
    {"subject", T_OBJECT_EX, offsetof(Target, subject), 0, NULL},
    {"note", T_OBJECT_EX, offsetof(Target, note), 0, NULL},
    {NULL},
};

static PyTypeObject Target_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Target",
    .tp_basicsize = sizeof(Target),
    .tp_weaklistoffset = offsetof(Target, weakreflist),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_dealloc = target_dealloc,
    .tp_traverse = target_traverse,
    .tp_clear = target_clear,
    .tp_members = target_members,
    .tp_new = PyType_GenericNew,
};

static struct PyModuleDef zoo_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* module = PyModule_Create(&zoo_module);

    if (module == NULL) {
        return NULL;
    }
    if (PyModule_AddType(module, &Target_Type) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
