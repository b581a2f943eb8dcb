/* The state has the root of a tree whose nodes have a reference to their parent; m_clear takes the tree apart. */
#include <Python.h>
typedef struct {
    PyObject* type;
    PyObject* root;
} State;
typedef struct {
    PyObject_HEAD
    PyObject* parent;
    PyObject* children;
} Node;
static int n_traverse(PyObject* op, visitproc visit, void* arg) {
    Node* s = (Node*)op;
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(s->parent);
    Py_VISIT(s->children);
    return 0;
}
static int n_clear(PyObject* op) {
    Node* s = (Node*)op;
    Py_CLEAR(s->parent);
    Py_CLEAR(s->children);
    return 0;
}
static void n_dealloc(PyObject* op) {
    PyTypeObject* t = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    n_clear(op);
    t->tp_free(op);
    Py_DECREF(t);
}
static PyType_Slot slots[] = {
    {Py_tp_dealloc, n_dealloc}, {Py_tp_traverse, n_traverse}, {Py_tp_clear, n_clear}, {0, NULL}};
static PyType_Spec spec = {
    "zoo.Node", sizeof(Node), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
static PyObject* node_of(PyTypeObject* t, PyObject* parent) {
    Node* n = (Node*)t->tp_alloc(t, 0);
    if (!n)
        return NULL;
    n->parent = Py_XNewRef(parent);
    n->children = PyList_New(0);
    if (!n->children || (parent && PyList_Append(((Node*)parent)->children, (PyObject*)n) < 0))
        Py_CLEAR(n);
    return (PyObject*)n;
}
static PyObject* root(PyObject* m, PyObject* none) {
    (void)none;
    State* st = PyModule_GetState(m);
    return Py_NewRef(st->root ? st->root : Py_None);
}
static PyMethodDef methods[] = {{"root", root, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static int zoo_exec(PyObject* m) {
    State* st = PyModule_GetState(m);
    st->type = PyType_FromModuleAndSpec(m, &spec, NULL);
    if (!st->type)
        return -1;
    st->root = node_of((PyTypeObject*)st->type, NULL);
    for (int i = 0; st->root && i < 3; ++i) {
        PyObject* n = node_of((PyTypeObject*)st->type, st->root);
        if (!n)
            return -1;
        Py_DECREF(n);
    }
    return st->root ? PyModule_AddObjectRef(m, "Node", st->type) : -1;
}
static int m_traverse(PyObject* m, visitproc visit, void* arg) {
    State* st = PyModule_GetState(m);
    Py_VISIT(st->type);
    Py_VISIT(st->root);
    return 0;
}
static int m_clear(PyObject* m) {
    State* st = PyModule_GetState(m);
    PyObject* r = st->root;
    st->root = NULL;
    if (r) {
        n_clear(r);
        Py_DECREF(r);
    }
    Py_CLEAR(st->type);
    return 0;
}
static void m_free(void* m) {
    m_clear((PyObject*)m);
}
static PyModuleDef_Slot mslots[] = {{Py_mod_exec, zoo_exec}, {0, NULL}};
static PyModuleDef def = {PyModuleDef_HEAD_INIT, .m_name = "zoo",   .m_size = sizeof(State),
                          .m_methods = methods,  .m_slots = mslots, .m_traverse = m_traverse,
                          .m_clear = m_clear,    .m_free = m_free};
PyMODINIT_FUNC PyInit_zoo(void) {
    return PyModuleDef_Init(&def);
}
