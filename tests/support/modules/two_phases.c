/* A module that is made in two phases, with state, and a type whose instances can be garbage. */
#include <Python.h>

typedef struct {
    PyObject* notes; /* a list */
} State;

typedef struct {
    PyObject_HEAD
    PyObject* next;
} Node;

static int node_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(((Node*)op)->next);
    return 0;
}

static int node_clear(PyObject* op) {
    Py_CLEAR(((Node*)op)->next);
    return 0;
}

static void node_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    node_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static PyTypeObject NodeType = {
    .ob_base = PyVarObject_HEAD_INIT(NULL, 0).tp_name = "two_phases.Node",
    .tp_basicsize = sizeof(Node),
    .tp_dealloc = node_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = node_traverse,
    .tp_clear = node_clear,
    .tp_new = PyType_GenericNew,
};

/* echo(*args): what it was called with. */
static PyObject* two_phases_echo(PyObject* self, PyObject* args) {
    (void)self;
    return Py_NewRef(args);
}

/* fail(message): ValueError. */
static PyObject* two_phases_fail(PyObject* self, PyObject* message) {
    (void)self;
    PyErr_SetObject(PyExc_ValueError, message);
    return NULL;
}

/* note(op): the number of notes, with this one. */
static PyObject* two_phases_note(PyObject* self, PyObject* op) {
    State* state = PyModule_GetState(self);
    if (PyList_Append(state->notes, op) < 0) {
        return NULL;
    }
    return PyLong_FromSsize_t(PyList_Size(state->notes));
}

/* loops(n): makes n nodes that refer to themselves, and lets them go. */
static PyObject* two_phases_loops(PyObject* self, PyObject* count) {
    (void)self;
    const long n = PyLong_AsLong(count);
    if (n == -1 && PyErr_Occurred()) {
        return NULL;
    }
    for (long i = 0; i < n; ++i) {
        Node* node = (Node*)NodeType.tp_alloc(&NodeType, 0);
        if (node == NULL) {
            return NULL;
        }
        node->next = Py_NewRef((PyObject*)node);
        Py_DECREF(node);
    }
    return PyLong_FromLong(n);
}

/* keep(): lets a node go that nobody can reach and that is kept for ever by one reference too many. */
static PyObject* two_phases_keep(PyObject* self, PyObject* none) {
    (void)self;
    (void)none;
    return Py_XNewRef(NodeType.tp_alloc(&NodeType, 0));
}

static int two_phases_exec(PyObject* module) {
    State* state = PyModule_GetState(module);
    state->notes = PyList_New(0);
    if (state->notes == NULL || PyModule_AddStringConstant(module, "version", "1.0") < 0) {
        return -1;
    }
    return PyModule_AddType(module, &NodeType);
}

static int two_phases_traverse(PyObject* module, visitproc visit, void* arg) {
    Py_VISIT(((State*)PyModule_GetState(module))->notes);
    return 0;
}

static int two_phases_clear(PyObject* module) {
    Py_CLEAR(((State*)PyModule_GetState(module))->notes);
    return 0;
}

static void two_phases_free(void* module) {
    two_phases_clear((PyObject*)module);
}

static PyMethodDef two_phases_methods[] = {
    {"echo", two_phases_echo, METH_VARARGS, NULL}, {"fail", two_phases_fail, METH_O, NULL},
    {"note", two_phases_note, METH_O, NULL},       {"loops", two_phases_loops, METH_O, NULL},
    {"keep", two_phases_keep, METH_NOARGS, NULL},  {NULL, NULL, 0, NULL}};

static PyModuleDef_Slot two_phases_slots[] = {
    {Py_mod_exec, two_phases_exec},
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
    {0, NULL}};

static struct PyModuleDef two_phases_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "two_phases",
    .m_doc = "Made in two phases.",
    .m_size = sizeof(State),
    .m_methods = two_phases_methods,
    .m_slots = two_phases_slots,
    .m_traverse = two_phases_traverse,
    .m_clear = two_phases_clear,
    .m_free = two_phases_free,
};

PyMODINIT_FUNC PyInit_two_phases(void) {
    return PyModuleDef_Init(&two_phases_module);
}
