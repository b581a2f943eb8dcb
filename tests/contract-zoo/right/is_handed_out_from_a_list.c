/* take() hands out tokens, of which a list is made at import, and a hundred more when it is empty. */
#include <Python.h>
#include <stddef.h>
typedef struct {
    PyObject_HEAD
    PyObject* note;
} Token;
static PyTypeObject* token_type;
static PyObject* pool;
static int token_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(((Token*)op)->note);
    return 0;
}
static int token_clear(PyObject* op) {
    Py_CLEAR(((Token*)op)->note);
    return 0;
}
static void token_dealloc(PyObject* op) {
    PyTypeObject* t = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    token_clear(op);
    t->tp_free(op);
    Py_DECREF(t);
}
static PyMemberDef members[] = {{"note", _Py_T_OBJECT, offsetof(Token, note), 0, NULL}, {0}};
static PyType_Slot slots[] = {{Py_tp_dealloc, token_dealloc},
                              {Py_tp_traverse, token_traverse},
                              {Py_tp_clear, token_clear},
                              {Py_tp_members, members},
                              {0, NULL}};
static PyType_Spec spec = {
    "zoo.Token", sizeof(Token), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
static int refill(void) {
    for (int i = 0; i < 100; ++i) {
        PyObject* t = token_type->tp_alloc(token_type, 0);
        if (t == NULL || PyList_Append(pool, t) < 0) {
            Py_XDECREF(t);
            return -1;
        }
        Py_DECREF(t);
    }
    return 0;
}
static PyObject* take(PyObject* m, PyObject* n) {
    (void)m;
    (void)n;
    if (PyList_GET_SIZE(pool) == 0 && refill() < 0)
        return NULL;
    Py_ssize_t last = PyList_GET_SIZE(pool) - 1;
    PyObject* t = Py_NewRef(PyList_GET_ITEM(pool, last));
    if (PyList_SetSlice(pool, last, last + 1, NULL) < 0) {
        Py_DECREF(t);
        return NULL;
    }
    return t;
}
static PyMethodDef functions[] = {{"take", take, METH_NOARGS, NULL}, {0}};
static int init(PyObject* m) {
    pool = PyList_New(0);
    token_type = (PyTypeObject*)PyType_FromSpec(&spec);
    if (token_type == NULL || pool == NULL || refill() < 0)
        return -1;
    return PyModule_AddObjectRef(m, "Token", (PyObject*)token_type);
}
#define ZOO_METHODS functions
#define ZOO_INIT init
static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_size = -1,
                                        .m_methods = ZOO_METHODS};
PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m = PyModule_Create(&zoo_module);
    if (m == NULL || ZOO_INIT(m) < 0)
        return NULL;
    return m;
}
