/* clear.keeps */
/* Breaks: the clear handler has to give up the references it takes out of the object; here the element count is set to zero and the elements are never decremented ("Supporting Cyclic Garbage Collection", inquiry). */
#include <Python.h>

typedef struct {
    PyObject_HEAD
    Py_ssize_t used;
    Py_ssize_t room;
    PyObject** items;
} BagObject;

static void bag_empty(BagObject* self) {
    while (self->used > 0) {
        self->used--;
        Py_DECREF(self->items[self->used]);
    }
}

static int bag_traverse(BagObject* self, visitproc visit, void* arg) {
    Py_ssize_t i;
    for (i = self->used; --i >= 0;)
        Py_VISIT(self->items[i]);
    return 0;
}

static int bag_clear(BagObject* self) {
#ifdef WRONG
    self->used = 0;
#else
    bag_empty(self);
#endif
    return 0;
}

static void bag_dealloc(BagObject* self) {
    PyObject_GC_UnTrack(self);
    bag_empty(self);
    PyMem_Free(self->items);
    Py_TYPE(self)->tp_free((PyObject*)self);
}

static PyObject* bag_add(BagObject* self, PyObject* thing) {
    if (self->used == self->room) {
        Py_ssize_t room = self->room + 8;
        PyObject** items = self->items;
        PyMem_Resize(items, PyObject*, room);
        if (items == NULL)
            return PyErr_NoMemory();
        self->items = items;
        self->room = room;
    }
    Py_INCREF(thing);
    self->items[self->used++] = thing;
    Py_RETURN_NONE;
}

static PyObject* bag_as_list(BagObject* self, PyObject* Py_UNUSED(ignored)) {
    Py_ssize_t i, n = self->used;
    PyObject* list = PyList_New(n);
    if (list == NULL)
        return NULL;
    for (i = 0; i < n; i++) {
        Py_INCREF(self->items[i]);
        PyList_SET_ITEM(list, i, self->items[i]);
    }
    return list;
}

static PyMethodDef bag_methods[] = {
    {"add", (PyCFunction)bag_add, METH_O, "add(thing) -> None"},
    {"as_list", (PyCFunction)bag_as_list, METH_NOARGS, "as_list() -> list"},
    {NULL, NULL, 0, NULL}};

static PyTypeObject Bag_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Bag",
    .tp_basicsize = sizeof(BagObject),
    .tp_dealloc = (destructor)bag_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = (traverseproc)bag_traverse,
    .tp_clear = (inquiry)bag_clear,
    .tp_methods = bag_methods,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = PyType_GenericNew,
    .tp_free = PyObject_GC_Del,
};

static struct PyModuleDef moduledef = {PyModuleDef_HEAD_INIT, "zoo", "bags", -1, NULL};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m;
    if (PyType_Ready(&Bag_Type) < 0)
        return NULL;
    m = PyModule_Create(&moduledef);
    if (m == NULL)
        return NULL;
    Py_INCREF(&Bag_Type);
    if (PyModule_AddObject(m, "Bag", (PyObject*)&Bag_Type) < 0) {
        Py_DECREF(&Bag_Type);
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
