/* A record that is frozen when it holds nothing but exact numbers in a tuple: it is taken from the collector's care, as
 * the collector itself does with such tuples. */
#include <Python.h>
typedef struct {
    PyObject_HEAD
    PyObject* values;
    PyObject* note;
} Record_;
static int r_traverse(PyObject* op, visitproc visit, void* arg) {
    Record_* s = (Record_*)op;
    Py_VISIT(s->values);
    Py_VISIT(s->note);
    return 0;
}
static int r_clear(PyObject* op) {
    Record_* s = (Record_*)op;
    Py_CLEAR(s->values);
    Py_CLEAR(s->note);
    return 0;
}
static void r_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    r_clear(op);
    Py_TYPE(op)->tp_free(op);
}
static PyObject* r_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    (void)kwargs;
    if (!PyArg_ParseTuple(args, ""))
        return NULL;
    Record_* self = (Record_*)type->tp_alloc(type, 0);
    if (self && !(self->values = Py_BuildValue("(iii)", 1000001, 1000002, 1000003)))
        Py_CLEAR(self);
    return (PyObject*)self;
}
static PyObject* r_get(PyObject* op, void* c) {
    (void)c;
    PyObject* v = ((Record_*)op)->note;
    return Py_NewRef(v ? v : Py_None);
}
static int r_set(PyObject* op, PyObject* v, void* c) {
    (void)c;
    if (!PyObject_GC_IsTracked(op)) {
        PyErr_SetString(PyExc_AttributeError, "the record is frozen");
        return -1;
    }
    Py_XSETREF(((Record_*)op)->note, Py_XNewRef(v));
    return 0;
}
static PyObject* r_freeze(PyObject* op, PyObject* none) {
    (void)none;
    Record_* self = (Record_*)op;
    if (!self->note && self->values && PyObject_GC_IsTracked(op))
        PyObject_GC_UnTrack(op);
    Py_RETURN_NONE;
}
static PyGetSetDef gs[] = {{"note", r_get, r_set, NULL, NULL}, {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef ms[] = {{"freeze", r_freeze, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static PyTypeObject Record_Type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Record",
                                   .tp_basicsize = sizeof(Record_),
                                   .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                   .tp_traverse = r_traverse,
                                   .tp_clear = r_clear,
                                   .tp_dealloc = r_dealloc,
                                   .tp_new = r_new,
                                   .tp_getset = gs,
                                   .tp_methods = ms};
static PyModuleDef def = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_size = -1};
PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m = PyModule_Create(&def);
    if (m && PyModule_AddType(m, &Record_Type) < 0)
        Py_CLEAR(m);
    return m;
}
