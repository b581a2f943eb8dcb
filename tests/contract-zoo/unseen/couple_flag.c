/* types.handlers-without-flag */
/* Rule broken: a type whose instances hold other objects must have Py_TPFLAGS_HAVE_GC; here tp_traverse and tp_clear are there but the flag is not, so they are never used (Supporting Cyclic Garbage Collection, introduction). */
#include <Python.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject* left;
    PyObject* right;
} Couple;

static int couple_init(PyObject* op, PyObject* args, PyObject* kwargs) {
    static char* names[] = {"left", "right", NULL};
    Couple* self = (Couple*)op;
    PyObject *left = NULL, *right = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:Couple", names, &left, &right)) {
        return -1;
    }
    Py_XSETREF(self->left, Py_XNewRef(left));
    Py_XSETREF(self->right, Py_XNewRef(right));
    return 0;
}

static int couple_traverse(PyObject* op, visitproc visit, void* arg) {
    Couple* self = (Couple*)op;
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(self->left);
    Py_VISIT(self->right);
    return 0;
}

static int couple_clear(PyObject* op) {
    Couple* self = (Couple*)op;
    Py_CLEAR(self->left);
    Py_CLEAR(self->right);
    return 0;
}

static void couple_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    if (PyType_IS_GC(type)) {
        PyObject_GC_UnTrack(op);
    }
    couple_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
}

static PyObject* couple_swap(PyObject* op, PyObject* Py_UNUSED(ignored)) {
    Couple* self = (Couple*)op;
    PyObject* left = self->left;
    self->left = self->right;
    self->right = left;
    Py_RETURN_NONE;
}

static PyMemberDef couple_members[] = {{"left", T_OBJECT, offsetof(Couple, left), 0, NULL},
                                       {"right", T_OBJECT, offsetof(Couple, right), 0, NULL},
                                       {NULL}};

static PyMethodDef couple_methods[] = {{"swap", couple_swap, METH_NOARGS, NULL},
                                       {NULL, NULL, 0, NULL}};

static PyType_Slot couple_slots[] = {
    {Py_tp_new, PyType_GenericNew},  {Py_tp_init, couple_init},
    {Py_tp_dealloc, couple_dealloc}, {Py_tp_traverse, couple_traverse},
    {Py_tp_clear, couple_clear},     {Py_tp_members, couple_members},
    {Py_tp_methods, couple_methods}, {0, NULL}};

static PyType_Spec couple_spec = {
    .name = "zoo.Couple",
    .basicsize = sizeof(Couple),
#ifdef WRONG
    .flags = Py_TPFLAGS_DEFAULT,
#else
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
#endif
    .slots = couple_slots,
};

static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_size = -1};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* module = PyModule_Create(&zoo_module);
    if (module == NULL) {
        return NULL;
    }
    PyObject* type = PyType_FromSpec(&couple_spec);
    if (type == NULL || PyModule_AddObjectRef(module, "Couple", type) < 0) {
        Py_XDECREF(type);
        Py_DECREF(module);
        return NULL;
    }
    Py_DECREF(type);
    return module;
}
