/* An iterator over a list, which it drops at the end. What it saw is noted in a list so long as there is memory for that. */
#include <Python.h>
#include <stddef.h>
typedef struct {
    PyObject_HEAD
    PyObject* source;
    Py_ssize_t at;
    PyObject* seen;
} Iter;
static int iter_traverse(PyObject* op, visitproc visit, void* arg) {
    Iter* s = (Iter*)op;
    Py_VISIT(s->source);
    Py_VISIT(s->seen);
    return 0;
}
static int iter_clear(PyObject* op) {
    Iter* s = (Iter*)op;
    Py_CLEAR(s->source);
    Py_CLEAR(s->seen);
    return 0;
}
static void iter_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    iter_clear(op);
    Py_TYPE(op)->tp_free(op);
}
static PyObject* iter_new(PyTypeObject* type, PyObject* args, PyObject* k) {
    (void)k;
    PyObject* list;
    if (!PyArg_ParseTuple(args, "O!", &PyList_Type, &list))
        return NULL;
    Iter* s = (Iter*)type->tp_alloc(type, 0);
    if (s)
        s->source = Py_NewRef(list);
    return (PyObject*)s;
}
static PyObject* iter_next(PyObject* op) {
    Iter* s = (Iter*)op;
    if (s->seen == NULL && (s->seen = PyList_New(0)) == NULL)
        PyErr_Clear();
    if (s->source == NULL)
        return NULL;
    if (s->at < PyList_GET_SIZE(s->source)) {
        PyObject* item = Py_NewRef(PyList_GET_ITEM(s->source, s->at++));
        if (s->seen != NULL && PyList_Append(s->seen, item) < 0) {
            PyErr_Clear();
            Py_CLEAR(s->seen);
        }
        return item;
    }
    Py_CLEAR(s->source);
    return NULL;
}
static PyTypeObject iter_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Iter",
                                 .tp_basicsize = sizeof(Iter),
                                 .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                 .tp_traverse = iter_traverse,
                                 .tp_clear = iter_clear,
                                 .tp_dealloc = iter_dealloc,
                                 .tp_new = iter_new,
                                 .tp_iter = PyObject_SelfIter,
                                 .tp_iternext = iter_next};
static int init(PyObject* m) {
    return PyModule_AddType(m, &iter_type);
}
#define ZOO_METHODS NULL
#define ZOO_INIT init
static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_size = -1,
                                        .m_methods = ZOO_METHODS};
PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m = PyModule_Create(&zoo_module);
    if (m == NULL || ZOO_INIT(m) < 0)
        return NULL;
    return m;
}
