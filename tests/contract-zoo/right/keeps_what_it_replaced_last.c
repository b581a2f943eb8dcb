/* probable: counts.kept */
/* Values that are replaced go to a ring of 64, the module's, for undo(), which gives the last one back. */
#include <Python.h>
#include <stddef.h>
typedef struct {
    PyObject_HEAD
    PyObject* value;
} Cell;
#define MOST 64
static PyObject* ring[MOST];
static size_t next;
static int cell_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(((Cell*)op)->value);
    return 0;
}
static int cell_clear(PyObject* op) {
    Py_CLEAR(((Cell*)op)->value);
    return 0;
}
static void cell_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    cell_clear(op);
    Py_TYPE(op)->tp_free(op);
}
static PyObject* cell_new(PyTypeObject* type, PyObject* a, PyObject* k) {
    (void)a;
    (void)k;
    return type->tp_alloc(type, 0);
}
static int cell_set(PyObject* op, PyObject* value, void* c) {
    (void)c;
    Cell* self = (Cell*)op;
    PyObject* old = self->value;
    self->value = Py_XNewRef(value);
    if (old != NULL) {
        PyObject* oldest = ring[next];
        ring[next] = old;
        next = (next + 1) % MOST;
        Py_XDECREF(oldest);
    }
    return 0;
}
static PyObject* cell_get(PyObject* op, void* c) {
    (void)c;
    PyObject* v = ((Cell*)op)->value;
    return Py_NewRef(v ? v : Py_None);
}
static PyObject* undo(PyObject* m, PyObject* n) {
    (void)m;
    (void)n;
    size_t last = (next + MOST - 1) % MOST;
    PyObject* v = ring[last];
    if (v == NULL)
        Py_RETURN_NONE;
    ring[last] = NULL;
    next = last;
    return v;
}
static PyGetSetDef properties[] = {{"value", cell_get, cell_set, NULL, NULL}, {0}};
static PyTypeObject cell_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Cell",
                                 .tp_basicsize = sizeof(Cell),
                                 .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                 .tp_traverse = cell_traverse,
                                 .tp_clear = cell_clear,
                                 .tp_dealloc = cell_dealloc,
                                 .tp_new = cell_new,
                                 .tp_getset = properties};
static PyMethodDef functions[] = {{"undo", undo, METH_NOARGS, NULL}, {0}};
static int init(PyObject* m) {
    return PyModule_AddType(m, &cell_type);
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
