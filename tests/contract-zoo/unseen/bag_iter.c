/* objects.never-tracked */
/* Rule broken: the constructor of a container must call PyObject_GC_Track once the fields are set; here the iterator is never tracked (Supporting Cyclic Garbage Collection, rules for constructors). */
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject** items;
    Py_ssize_t used;
    Py_ssize_t room;
} Bag;

typedef struct {
    PyObject_HEAD
    Bag* bag; /* NULL once exhausted */
    Py_ssize_t at;
} BagIter;

static PyTypeObject Bag_Type;
static PyTypeObject BagIter_Type;

/* ---- Bag ---- */

static int Bag_traverse(PyObject* op, visitproc visit, void* arg) {
    Bag* self = (Bag*)op;
    for (Py_ssize_t i = 0; i < self->used; i++) {
        Py_VISIT(self->items[i]);
    }
    return 0;
}

static int Bag_clear(PyObject* op) {
    Bag* self = (Bag*)op;
    PyObject** items = self->items;
    Py_ssize_t i = self->used;
    self->items = NULL;
    self->used = 0;
    self->room = 0;
    while (--i >= 0) {
        Py_DECREF(items[i]);
    }
    PyMem_Free(items);
    return 0;
}

static void Bag_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Bag_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static PyObject* Bag_add(PyObject* op, PyObject* item) {
    Bag* self = (Bag*)op;
    if (self->used == self->room) {
        Py_ssize_t room = self->room ? self->room * 2 : 4;
        PyObject** items = PyMem_Realloc(self->items, (size_t)room * sizeof(PyObject*));
        if (items == NULL) {
            return PyErr_NoMemory();
        }
        self->items = items;
        self->room = room;
    }
    self->items[self->used++] = Py_NewRef(item);
    Py_RETURN_NONE;
}

static PyObject* BagIter_make(PyTypeObject* type, Bag* bag) {
    BagIter* it = PyObject_GC_New(BagIter, type);
    if (it == NULL) {
        return NULL;
    }
    it->bag = (Bag*)Py_XNewRef((PyObject*)bag);
    it->at = 0;
#ifndef WRONG
    PyObject_GC_Track((PyObject*)it);
#endif
    return (PyObject*)it;
}

static PyObject* Bag_iter(PyObject* op) {
    return BagIter_make(&BagIter_Type, (Bag*)op);
}

static PyMethodDef Bag_methods[] = {{"add", Bag_add, METH_O, NULL}, {NULL, NULL, 0, NULL}};

static PyTypeObject Bag_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Bag",
    .tp_basicsize = sizeof(Bag),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_dealloc = Bag_dealloc,
    .tp_traverse = Bag_traverse,
    .tp_clear = Bag_clear,
    .tp_iter = Bag_iter,
    .tp_methods = Bag_methods,
};

/* ---- BagIter ---- */

static PyObject* BagIter_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    PyObject* bag = NULL;
    if (!PyArg_ParseTuple(args, "|O!:BagIter", &Bag_Type, &bag)) {
        return NULL;
    }
    return BagIter_make(type, (Bag*)bag);
}

static int BagIter_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(((BagIter*)op)->bag);
    return 0;
}

static int BagIter_clear(PyObject* op) {
    Py_CLEAR(((BagIter*)op)->bag);
    return 0;
}

static void BagIter_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    BagIter_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static PyObject* BagIter_next(PyObject* op) {
    BagIter* it = (BagIter*)op;
    if (it->bag == NULL) {
        return NULL;
    }
    if (it->at < it->bag->used) {
        return Py_NewRef(it->bag->items[it->at++]);
    }
    Py_CLEAR(it->bag);
    return NULL;
}

static PyTypeObject BagIter_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.BagIter",
    .tp_basicsize = sizeof(BagIter),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = BagIter_new,
    .tp_dealloc = BagIter_dealloc,
    .tp_traverse = BagIter_traverse,
    .tp_clear = BagIter_clear,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = BagIter_next,
};

static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_size = -1};

PyMODINIT_FUNC PyInit_zoo(void) {
    if (PyType_Ready(&Bag_Type) < 0 || PyType_Ready(&BagIter_Type) < 0) {
        return NULL;
    }
    PyObject* m = PyModule_Create(&zoo_module);
    if (m == NULL) {
        return NULL;
    }
    if (PyModule_AddObjectRef(m, "Bag", (PyObject*)&Bag_Type) < 0 ||
        PyModule_AddObjectRef(m, "BagIter", (PyObject*)&BagIter_Type) < 0) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
