/* traverse.forgets */
/* Rule broken: tp_traverse must visit every object the instance holds, those in the last block of the chain included (Supporting Cyclic Garbage Collection, traverseproc). */
#include <Python.h>

#define BLOCK_LEN 8

typedef struct block {
    struct block* next;
    PyObject* slots[BLOCK_LEN]; /* unused slots are NULL */
} Block;

typedef struct {
    PyObject_HEAD
    Block* first;
    Block* last;
    int first_index; /* next slot to pop, in first */
    int last_index;  /* next slot to fill, in last */
    Py_ssize_t length;
} Deque;

static int Deque_traverse(PyObject* op, visitproc visit, void* arg) {
    Deque* self = (Deque*)op;
    Block* b;
    int i;
#ifdef WRONG
    for (b = self->first; b != self->last; b = b->next) {
#else
    for (b = self->first; b != NULL; b = b->next) {
#endif
        for (i = 0; i < BLOCK_LEN; i++) {
            Py_VISIT(b->slots[i]);
        }
    }
    return 0;
}

static int Deque_clear(PyObject* op) {
    Deque* self = (Deque*)op;
    Block* b = self->first;
    self->first = NULL;
    self->last = NULL;
    self->first_index = 0;
    self->last_index = 0;
    self->length = 0;
    while (b != NULL) {
        Block* next = b->next;
        int i;
        for (i = 0; i < BLOCK_LEN; i++) {
            Py_XDECREF(b->slots[i]);
        }
        PyMem_Free(b);
        b = next;
    }
    return 0;
}

static void Deque_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Deque_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static PyObject* Deque_append(PyObject* op, PyObject* item) {
    Deque* self = (Deque*)op;
    if (self->last == NULL || self->last_index == BLOCK_LEN) {
        Block* b = PyMem_Calloc(1, sizeof(Block));
        if (b == NULL) {
            return PyErr_NoMemory();
        }
        if (self->last != NULL) {
            self->last->next = b;
        } else {
            self->first = b;
            self->first_index = 0;
        }
        self->last = b;
        self->last_index = 0;
    }
    self->last->slots[self->last_index++] = Py_NewRef(item);
    self->length++;
    Py_RETURN_NONE;
}

static PyObject* Deque_popleft(PyObject* op, PyObject* Py_UNUSED(ignored)) {
    Deque* self = (Deque*)op;
    Block* b = self->first;
    PyObject* item;
    if (self->length == 0) {
        PyErr_SetString(PyExc_IndexError, "popleft from an empty deque");
        return NULL;
    }
    item = b->slots[self->first_index];
    b->slots[self->first_index++] = NULL;
    self->length--;
    if (self->first_index == (b == self->last ? self->last_index : BLOCK_LEN)) {
        self->first = b->next;
        self->first_index = 0;
        if (self->first == NULL) {
            self->last = NULL;
            self->last_index = 0;
        }
        PyMem_Free(b);
    }
    return item;
}

static PyObject* Deque_clear_method(PyObject* op, PyObject* Py_UNUSED(ignored)) {
    Deque_clear(op);
    Py_RETURN_NONE;
}

static Py_ssize_t Deque_length(PyObject* op) {
    return ((Deque*)op)->length;
}

static PyMethodDef Deque_methods[] = {
    {"append", Deque_append, METH_O, "add an item at the right end"},
    {"popleft", Deque_popleft, METH_NOARGS, "take the leftmost item"},
    {"clear", Deque_clear_method, METH_NOARGS, "drop all items"},
    {NULL}};

static PySequenceMethods Deque_as_sequence = {
    .sq_length = Deque_length,
};

static PyTypeObject Deque_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Deque",
    .tp_basicsize = sizeof(Deque),
    .tp_dealloc = Deque_dealloc,
    .tp_as_sequence = &Deque_as_sequence,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = Deque_traverse,
    .tp_clear = Deque_clear,
    .tp_methods = Deque_methods,
    .tp_new = PyType_GenericNew,
};

static struct PyModuleDef zoo_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m;
    if (PyType_Ready(&Deque_Type) < 0) {
        return NULL;
    }
    m = PyModule_Create(&zoo_module);
    if (m == NULL) {
        return NULL;
    }
    if (PyModule_AddObjectRef(m, "Deque", (PyObject*)&Deque_Type) < 0) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
