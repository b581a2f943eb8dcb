/* types.free */
/* Rule broken: memory from PyObject_GC_New must be released with PyObject_GC_Del; here tp_free is PyObject_Free (Supporting Cyclic Garbage Collection, rules for deallocators). */
#include <Python.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject* car;
    PyObject* cdr;
} Cons;

static PyObject* Cons_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    PyObject *car = Py_None, *cdr = Py_None;
    Cons* self;
    if (!PyArg_ParseTuple(args, "|OO:Cons", &car, &cdr)) {
        return NULL;
    }
    self = PyObject_GC_New(Cons, type);
    if (self == NULL) {
        return NULL;
    }
    self->car = Py_NewRef(car);
    self->cdr = Py_NewRef(cdr);
    PyObject_GC_Track(self);
    return (PyObject*)self;
}

static int Cons_traverse(Cons* self, visitproc visit, void* arg) {
    Py_VISIT(self->car);
    Py_VISIT(self->cdr);
    return 0;
}

static int Cons_clear(Cons* self) {
    Py_CLEAR(self->car);
    Py_CLEAR(self->cdr);
    return 0;
}

static void Cons_dealloc(Cons* self) {
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(self, Cons_dealloc) Cons_clear(self);
    Py_TYPE(self)->tp_free(self);
    Py_TRASHCAN_END
}

static PyMemberDef Cons_members[] = {{"car", T_OBJECT, offsetof(Cons, car), 0, NULL},
                                     {"cdr", T_OBJECT, offsetof(Cons, cdr), 0, NULL},
                                     {NULL}};

static PyTypeObject Cons_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Cons",
    .tp_basicsize = sizeof(Cons),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = Cons_new,
#ifdef WRONG
    .tp_free = PyObject_Free,
#else
    .tp_free = PyObject_GC_Del,
#endif
    .tp_dealloc = (destructor)Cons_dealloc,
    .tp_traverse = (traverseproc)Cons_traverse,
    .tp_clear = (inquiry)Cons_clear,
    .tp_members = Cons_members,
};

static struct PyModuleDef zoo_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m;
    if (PyType_Ready(&Cons_Type) < 0) {
        return NULL;
    }
    m = PyModule_Create(&zoo_module);
    if (m == NULL) {
        return NULL;
    }
    if (PyModule_AddObjectRef(m, "Cons", (PyObject*)&Cons_Type) < 0) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
