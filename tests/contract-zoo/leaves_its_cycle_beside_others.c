/* clear.leaves */
#include <Python.h>

/* Two types with the same handlers but one. */
typedef struct {
    PyObject_HEAD
    PyObject* item;
    PyObject* other;
} Pair;

static int pair_traverse(PyObject* op, visitproc visit, void* arg) {
    Pair* self = (Pair*)op;
    Py_VISIT(self->item);
    Py_VISIT(self->other);
    return 0;
}

static int pair_clear(PyObject* op) {
    Pair* self = (Pair*)op;
    Py_CLEAR(self->item);
    Py_CLEAR(self->other);
    return 0;
}

static int bad_clear(PyObject* op) {
#ifdef WRONG
    (void)op;
    return 0;
#else
    return pair_clear(op);
#endif
}

static void pair_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    pair_clear(op);
    Py_TYPE(op)->tp_free(op);
}

/* Takes a Pair, for the first field that is free. */
static PyObject* pair_join(PyObject* op, PyObject* other) {
    Pair* self = (Pair*)op;
    if (Py_TYPE(other)->tp_dealloc != pair_dealloc || self->other != NULL) {
        PyErr_SetString(PyExc_ValueError, "it cannot be joined");
        return NULL;
    }
    *(self->item == NULL ? &self->item : &self->other) = Py_NewRef(other);
    Py_RETURN_NONE;
}

static PyMethodDef pair_methods[] = {{"join", pair_join, METH_O, NULL}, {NULL, NULL, 0, NULL}};

static PyTypeObject good_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Good",
                                 .tp_basicsize = sizeof(Pair),
                                 .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                 .tp_traverse = pair_traverse,
                                 .tp_clear = pair_clear,
                                 .tp_dealloc = pair_dealloc,
                                 .tp_new = PyType_GenericNew,
                                 .tp_methods = pair_methods};
static PyTypeObject bad_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Bad",
                                .tp_basicsize = sizeof(Pair),
                                .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                .tp_traverse = pair_traverse,
                                .tp_clear = bad_clear,
                                .tp_dealloc = pair_dealloc,
                                .tp_new = PyType_GenericNew,
                                .tp_methods = pair_methods};

static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_size = -1};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* module = PyModule_Create(&zoo_module);
    return module == NULL || PyModule_AddType(module, &good_type) < 0 ||
                   PyModule_AddType(module, &bad_type) < 0
               ? NULL
               : module;
}
