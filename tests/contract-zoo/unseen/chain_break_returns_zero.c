/* traverse.result */
/* Breaks: a non-zero value from visit has to be handed back by the traverse handler at once; here it ends the loop over the linked list, but zero is returned ("Traversal", traverseproc). */
#include <Python.h>

struct node {
    struct node* next;
    PyObject* value; /* never NULL */
};

typedef struct {
    PyObject_HEAD
    struct node* head;
    Py_ssize_t length;
} Chain;

static PyObject* chain_push(PyObject* op, PyObject* value) {
    Chain* self = (Chain*)op;
    struct node* n = PyMem_Malloc(sizeof *n);

    if (!n)
        return PyErr_NoMemory();
    n->value = Py_NewRef(value);
    n->next = self->head;
    self->head = n;
    self->length++;
    Py_RETURN_NONE;
}

static PyObject* chain_pop(PyObject* op, PyObject* unused) {
    Chain* self = (Chain*)op;
    struct node* n = self->head;
    PyObject* value;

    if (!n) {
        PyErr_SetString(PyExc_IndexError, "pop from an empty chain");
        return NULL;
    }
    self->head = n->next;
    self->length--;
    value = n->value;
    PyMem_Free(n);
    return value;
}

static Py_ssize_t chain_length(PyObject* op) {
    return ((Chain*)op)->length;
}

static int chain_traverse(PyObject* op, visitproc visit, void* arg) {
    struct node* n;
    int rc = 0;

    for (n = ((Chain*)op)->head; n; n = n->next) {
        rc = visit(n->value, arg);
        if (rc)
            break;
    }
#ifdef WRONG
    return 0;
#else
    return rc;
#endif
}

static int chain_clear(PyObject* op) {
    Chain* self = (Chain*)op;

    while (self->head) {
        struct node* n = self->head;
        PyObject* value = n->value;

        self->head = n->next;
        self->length--;
        PyMem_Free(n);
        Py_DECREF(value);
    }
    return 0;
}

static void chain_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    chain_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static PyMethodDef chain_methods[] = {{"push", chain_push, METH_O, "Put a value in front."},
                                      {"pop", chain_pop, METH_NOARGS, "Take the front value."},
                                      {NULL}};

static PySequenceMethods chain_as_sequence = {
    .sq_length = chain_length,
};

static PyTypeObject chain_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Chain",
    .tp_basicsize = sizeof(Chain),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_dealloc = chain_dealloc,
    .tp_traverse = chain_traverse,
    .tp_clear = chain_clear,
    .tp_methods = chain_methods,
    .tp_as_sequence = &chain_as_sequence,
};

static struct PyModuleDef chain_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_doc = "Singly linked chains.",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m = PyModule_Create(&chain_module);

    if (!m)
        return NULL;
    if (PyModule_AddType(m, &chain_type) < 0) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
