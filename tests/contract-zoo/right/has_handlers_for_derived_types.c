/* probable: dealloc.alive */
/* A base whose instances hold no more than a number, and are no containers; its tp_traverse and tp_clear are there for the
 * container types that derive from it. And a tp_dealloc that protects the instance by a reference of its own. */
#include <Python.h>
typedef struct {
    PyObject_HEAD
    long number;
} Base;
typedef struct {
    Base base;
    PyObject* item;
} Derived;
static int base_traverse(PyObject* op, visitproc visit, void* arg) {
    (void)op, (void)visit, (void)arg;
    return 0;
}
static PyObject* b_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    (void)kwargs;
    return PyArg_ParseTuple(args, "") ? type->tp_alloc(type, 0) : NULL;
}
static void b_dealloc(PyObject* op) {
    Py_TYPE(op)->tp_free(op);
}
static PyTypeObject Base_Type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Base",
                                 .tp_basicsize = sizeof(Base),
                                 .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                 .tp_traverse = base_traverse,
                                 .tp_dealloc = b_dealloc,
                                 .tp_new = b_new};
static int d_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(((Derived*)op)->item);
    return base_traverse(op, visit, arg);
}
static int d_clear(PyObject* op) {
    Py_CLEAR(((Derived*)op)->item);
    return 0;
}
static long ended;
static void on_end(PyObject* op) {
    (void)op;
    ++ended;
}
static void d_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Py_SET_REFCNT(op, 1); /* for the hook, which may take and give back references */
    on_end(op);
    if (Py_REFCNT(op) > 1) {
        Py_SET_REFCNT(op, Py_REFCNT(op) - 1);
        PyObject_GC_Track(op);
        return;
    }
    d_clear(op);
    Py_TYPE(op)->tp_free(op);
}
static PyObject* d_get(PyObject* op, void* c) {
    (void)c;
    PyObject* v = ((Derived*)op)->item;
    return Py_NewRef(v ? v : Py_None);
}
static int d_set(PyObject* op, PyObject* v, void* c) {
    (void)c;
    Py_XSETREF(((Derived*)op)->item, Py_XNewRef(v));
    return 0;
}
static PyGetSetDef gs[] = {{"item", d_get, d_set, NULL, NULL}, {NULL, NULL, NULL, NULL, NULL}};
static PyTypeObject Derived_Type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Derived",
                                    .tp_basicsize = sizeof(Derived),
                                    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                    .tp_base = &Base_Type,
                                    .tp_traverse = d_traverse,
                                    .tp_clear = d_clear,
                                    .tp_dealloc = d_dealloc,
                                    .tp_new = b_new,
                                    .tp_getset = gs};
static PyModuleDef def = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_size = -1};
PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m = PyModule_Create(&def);
    if (m && (PyModule_AddType(m, &Base_Type) < 0 || PyModule_AddType(m, &Derived_Type) < 0))
        Py_CLEAR(m);
    return m;
}
