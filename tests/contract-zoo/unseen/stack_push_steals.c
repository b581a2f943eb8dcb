/* counts.given-away */
/* Breaks: a method that stores its argument in the instance has to take a reference of its own; it stores the caller's ("Adding data and methods to the Basic example", increments before a field is set). */
#include <Python.h>

#define DEPTH 32

typedef struct {
    PyObject_HEAD
    int depth;
    PyObject* cells[DEPTH];
} StackObject;

static PyObject* stack_push(PyObject* op, PyObject* obj) {
    StackObject* self = (StackObject*)op;

    if (self->depth >= DEPTH) {
        PyErr_SetString(PyExc_OverflowError, "stack is full");
        return NULL;
    }
#ifdef WRONG
    self->cells[self->depth++] = obj;
#else
    self->cells[self->depth++] = Py_NewRef(obj);
#endif
    Py_RETURN_NONE;
}

static PyObject* stack_pop(PyObject* op, PyObject* Py_UNUSED(args)) {
    StackObject* self = (StackObject*)op;
    PyObject* obj;

    if (self->depth == 0) {
        PyErr_SetString(PyExc_IndexError, "stack is empty");
        return NULL;
    }
    /* the stack's reference becomes the caller's */
    obj = self->cells[--self->depth];
    self->cells[self->depth] = NULL;
    return obj;
}

static Py_ssize_t stack_len(PyObject* op) {
    return ((StackObject*)op)->depth;
}

static int stack_traverse(PyObject* op, visitproc visit, void* arg) {
    StackObject* self = (StackObject*)op;
    int i;

    Py_VISIT(Py_TYPE(op));
    for (i = 0; i < self->depth; i++) {
        Py_VISIT(self->cells[i]);
    }
    return 0;
}

static int stack_clear(PyObject* op) {
    StackObject* self = (StackObject*)op;

    while (self->depth > 0) {
        self->depth--;
        Py_CLEAR(self->cells[self->depth]);
    }
    return 0;
}

static void stack_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);

    PyObject_GC_UnTrack(op);
    stack_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
}

static PyMethodDef stack_methods[] = {{"push", stack_push, METH_O, "Put an object on top."},
                                      {"pop", stack_pop, METH_NOARGS, "Take the object on top."},
                                      {NULL, NULL, 0, NULL}};

static PyType_Slot stack_slots[] = {{Py_tp_new, PyType_GenericNew},
                                    {Py_tp_dealloc, stack_dealloc},
                                    {Py_tp_traverse, stack_traverse},
                                    {Py_tp_clear, stack_clear},
                                    {Py_tp_methods, stack_methods},
                                    {Py_sq_length, stack_len},
                                    {0, NULL}};

static PyType_Spec stack_spec = {
    .name = "zoo.Stack",
    .basicsize = sizeof(StackObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = stack_slots,
};

static struct PyModuleDef zoo_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* type;
    PyObject* module = PyModule_Create(&zoo_def);

    if (module == NULL) {
        return NULL;
    }
    type = PyType_FromSpec(&stack_spec);
    if (type == NULL || PyModule_AddType(module, (PyTypeObject*)type) < 0) {
        Py_XDECREF(type);
        Py_DECREF(module);
        return NULL;
    }
    Py_DECREF(type);
    return module;
}
