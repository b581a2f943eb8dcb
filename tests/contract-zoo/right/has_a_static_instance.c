/* The empty tree is static, and no container, as tp_is_gc says; all others are. */
#include <Python.h>
#include <stddef.h>
typedef struct {
    PyObject_HEAD
    PyObject *left, *right;
} Tree;
static PyTypeObject tree_type;
static Tree nil;
static int tree_is_gc(PyObject* op) {
    return op != (PyObject*)&nil;
}
static int tree_traverse(PyObject* op, visitproc visit, void* arg) {
    Tree* s = (Tree*)op;
    Py_VISIT(s->left);
    Py_VISIT(s->right);
    return 0;
}
static int tree_clear(PyObject* op) {
    Tree* s = (Tree*)op;
    if (op != (PyObject*)&nil) {
        Py_CLEAR(s->left);
        Py_CLEAR(s->right);
    }
    return 0;
}
static void tree_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    tree_clear(op);
    Py_TYPE(op)->tp_free(op);
}
static PyObject* tree_new(PyTypeObject* type, PyObject* args, PyObject* k) {
    (void)k;
    PyObject *l = (PyObject*)&nil, *r = (PyObject*)&nil;
    if (!PyArg_ParseTuple(args, "|OO", &l, &r))
        return NULL;
    Tree* s = (Tree*)type->tp_alloc(type, 0);
    if (s) {
        s->left = Py_NewRef(l);
        s->right = Py_NewRef(r);
    }
    return (PyObject*)s;
}
static PyObject* get_nil(PyObject* m, PyObject* n) {
    (void)m;
    (void)n;
    return Py_NewRef(&nil);
}
static PyMethodDef functions[] = {{"nil", get_nil, METH_NOARGS, NULL}, {0}};
static PyTypeObject tree_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Tree",
                                 .tp_basicsize = sizeof(Tree),
                                 .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                 .tp_traverse = tree_traverse,
                                 .tp_clear = tree_clear,
                                 .tp_dealloc = tree_dealloc,
                                 .tp_new = tree_new,
                                 .tp_is_gc = tree_is_gc};
static int init(PyObject* m) {
    if (PyModule_AddType(m, &tree_type) < 0)
        return -1;
    PyObject_Init((PyObject*)&nil, &tree_type); /* the module's own reference, for good */
    return 0;
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
