/* dealloc.untracks-late */
/* Rule broken: the deallocator must call PyObject_GC_UnTrack before the fields are taken apart; here the items are released first, and the code which that runs can start the collector on the dying object (Supporting Cyclic Garbage Collection, rules for deallocators). */
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject** items;
    Py_ssize_t depth;
    Py_ssize_t room;
} WorkStack;

static int workstack_traverse(PyObject* op, visitproc visit, void* arg) {
    WorkStack* self = (WorkStack*)op;
    for (Py_ssize_t i = 0; i < self->depth; i++)
        Py_VISIT(self->items[i]);
    return 0;
}

static int workstack_clear(PyObject* op) {
    WorkStack* self = (WorkStack*)op;
    PyObject** items = self->items;
    Py_ssize_t depth = self->depth;
    self->items = NULL;
    self->depth = 0;
    self->room = 0;
    while (depth > 0)
        Py_DECREF(items[--depth]);
    PyMem_Free(items);
    return 0;
}

static void workstack_dealloc(PyObject* op) {
#ifdef WRONG
    workstack_clear(op);
    PyObject_GC_UnTrack(op);
#else
    PyObject_GC_UnTrack(op);
    workstack_clear(op);
#endif
    Py_TYPE(op)->tp_free(op);
}

static PyObject* workstack_push(PyObject* op, PyObject* item) {
    WorkStack* self = (WorkStack*)op;
    if (self->depth == self->room) {
        Py_ssize_t room = self->room + self->room / 2 + 4;
        PyObject** items = PyMem_Realloc(self->items, (size_t)room * sizeof(PyObject*));
        if (items == NULL)
            return PyErr_NoMemory();
        self->items = items;
        self->room = room;
    }
    self->items[self->depth++] = Py_NewRef(item);
    Py_RETURN_NONE;
}

static PyObject* workstack_pop(PyObject* op, PyObject* Py_UNUSED(ignored)) {
    WorkStack* self = (WorkStack*)op;
    if (self->depth == 0) {
        PyErr_SetString(PyExc_IndexError, "the stack is empty");
        return NULL;
    }
    return self->items[--self->depth];
}

static PyObject* workstack_get_top(PyObject* op, void* closure) {
    WorkStack* self = (WorkStack*)op;
    return Py_NewRef(self->depth ? self->items[self->depth - 1] : Py_None);
}

static PyMethodDef workstack_methods[] = {
    {"push", workstack_push, METH_O, NULL},
    {"pop", workstack_pop, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef workstack_getset[] = {
    {"top", workstack_get_top, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyTypeObject WorkStack_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.WorkStack",
    .tp_basicsize = sizeof(WorkStack),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_dealloc = workstack_dealloc,
    .tp_traverse = workstack_traverse,
    .tp_clear = workstack_clear,
    .tp_methods = workstack_methods,
    .tp_getset = workstack_getset,
};

static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_size = -1};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m;
    if (PyType_Ready(&WorkStack_Type) < 0)
        return NULL;
    m = PyModule_Create(&zoo_module);
    if (m != NULL && PyModule_AddObjectRef(m, "WorkStack", (PyObject*)&WorkStack_Type) < 0)
        Py_CLEAR(m);
    return m;
}
