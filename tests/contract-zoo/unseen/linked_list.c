/* calls.crash */
/* Rule broken: the object must still be valid after tp_clear; here the pointer to the freed tail cell stays behind (Supporting Cyclic Garbage Collection, inquiry). */
#include <Python.h>

typedef struct cell {
    PyObject* value;
    struct cell* next;
} Cell;

typedef struct {
    PyObject_HEAD
    Cell* head;
    Cell* tail;
    Py_ssize_t length;
} LinkedList;

static int linkedlist_traverse(PyObject* op, visitproc visit, void* arg) {
    for (Cell* c = ((LinkedList*)op)->head; c; c = c->next)
        Py_VISIT(c->value);
    return 0;
}

static int linkedlist_clear(PyObject* op) {
    LinkedList* self = (LinkedList*)op;
    Cell* c = self->head;
    self->head = NULL;
#ifndef WRONG
    self->tail = NULL;
#endif
    self->length = 0;
    while (c) {
        Cell* next = c->next;
        Py_DECREF(c->value);
        PyMem_Free(c);
        c = next;
    }
    return 0;
}

static void linkedlist_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    linkedlist_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static PyObject* linkedlist_append(PyObject* op, PyObject* value) {
    LinkedList* self = (LinkedList*)op;
    Cell* c = PyMem_Malloc(sizeof(Cell));
    if (!c)
        return PyErr_NoMemory();
    c->value = Py_NewRef(value);
    c->next = NULL;
    if (self->tail)
        self->tail->next = c;
    else
        self->head = c;
    self->tail = c;
    self->length++;
    Py_RETURN_NONE;
}

static PyObject* linkedlist_pop(PyObject* op, PyObject* unused) {
    LinkedList* self = (LinkedList*)op;
    Cell* c = self->head;
    if (!c) {
        PyErr_SetString(PyExc_IndexError, "pop from an empty list");
        return NULL;
    }
    PyObject* value = c->value;
    self->head = c->next;
    if (!self->head)
        self->tail = NULL;
    self->length--;
    PyMem_Free(c);
    return value;
}

static PyObject* linkedlist_drop(PyObject* op, PyObject* unused) {
    linkedlist_clear(op);
    Py_RETURN_NONE;
}

static PyObject* linkedlist_get_last(PyObject* op, void* closure) {
    LinkedList* self = (LinkedList*)op;
    if (!self->tail)
        Py_RETURN_NONE;
    return Py_NewRef(self->tail->value);
}

static Py_ssize_t linkedlist_length(PyObject* op) {
    return ((LinkedList*)op)->length;
}

static PyMethodDef linkedlist_methods[] = {
    {"append", linkedlist_append, METH_O, NULL},
    {"pop", linkedlist_pop, METH_NOARGS, NULL},
    {"clear", linkedlist_drop, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef linkedlist_getset[] = {
    {"last", linkedlist_get_last, NULL, "the item appended last, or None", NULL},
    {NULL},
};

static PySequenceMethods linkedlist_sequence = {.sq_length = linkedlist_length};

static PyTypeObject linkedlist_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.LinkedList",
    .tp_basicsize = sizeof(LinkedList),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_new = PyType_GenericNew,
    .tp_dealloc = linkedlist_dealloc,
    .tp_traverse = linkedlist_traverse,
    .tp_clear = linkedlist_clear,
    .tp_methods = linkedlist_methods,
    .tp_getset = linkedlist_getset,
    .tp_as_sequence = &linkedlist_sequence,
};

static struct PyModuleDef zoo_def = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_size = -1};

PyMODINIT_FUNC PyInit_zoo(void) {
    if (PyType_Ready(&linkedlist_type) < 0)
        return NULL;
    PyObject* m = PyModule_Create(&zoo_def);
    if (m && PyModule_AddObjectRef(m, "LinkedList", (PyObject*)&linkedlist_type) < 0)
        Py_CLEAR(m);
    return m;
}
