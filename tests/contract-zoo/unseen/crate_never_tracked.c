/* objects.never-tracked */
/* Breaks: a constructor that gets its memory from PyObject_GC_New must call PyObject_GC_Track once the fields are set; it never does ("Supporting Cyclic Garbage Collection", rules for constructors). */
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject* lid;
    PyObject* goods;
} Crate;

static PyObject* crate_new(PyTypeObject* type, PyObject* args, PyObject* kwds) {
    static char* names[] = {"goods", "lid", NULL};
    PyObject *goods = NULL, *lid = NULL;
    Crate* self;

    if (!PyArg_ParseTupleAndKeywords(args, kwds, "|OO:Crate", names, &goods, &lid)) {
        return NULL;
    }
    self = PyObject_GC_New(Crate, type);
    if (self == NULL) {
        return NULL;
    }
    self->goods = Py_XNewRef(goods);
    self->lid = Py_XNewRef(lid);
#ifndef WRONG
    PyObject_GC_Track(self);
#endif
    return (PyObject*)self;
}

static int crate_traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(((Crate*)self)->lid);
    Py_VISIT(((Crate*)self)->goods);
    return 0;
}

static int crate_clear(PyObject* self) {
    Py_CLEAR(((Crate*)self)->lid);
    Py_CLEAR(((Crate*)self)->goods);
    return 0;
}

static void crate_dealloc(PyObject* self) {
    PyObject_GC_UnTrack(self);
    crate_clear(self);
    Py_TYPE(self)->tp_free(self);
}

static PyMemberDef crate_members[] = {
    {"lid", T_OBJECT, offsetof(Crate, lid), 0, NULL},
    {"goods", T_OBJECT, offsetof(Crate, goods), 0, NULL},
    {NULL},
};

/* Not a base type: crate_new does without tp_alloc. */
static PyTypeObject CrateType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Crate",
    .tp_basicsize = sizeof(Crate),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = crate_new,
    .tp_dealloc = crate_dealloc,
    .tp_traverse = crate_traverse,
    .tp_clear = crate_clear,
    .tp_members = crate_members,
};

static struct PyModuleDef crate_module = {
    PyModuleDef_HEAD_INIT, "zoo", "Crates.", -1, NULL,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m;

    if (PyType_Ready(&CrateType) < 0) {
        return NULL;
    }
    m = PyModule_Create(&crate_module);
    if (m == NULL) {
        return NULL;
    }
    if (PyModule_AddObjectRef(m, "Crate", (PyObject*)&CrateType) < 0) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
