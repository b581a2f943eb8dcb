/* probable: counts.kept */
/* A function that makes a type at each call, and one that makes an instance of it. */
#include <Python.h>
typedef struct {
    PyObject_HEAD
    PyObject* value;
} Box;
static int b_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(((Box*)op)->value);
    return 0;
}
static int b_clear(PyObject* op) {
    Py_CLEAR(((Box*)op)->value);
    return 0;
}
static void b_dealloc(PyObject* op) {
    PyTypeObject* t = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    b_clear(op);
    t->tp_free(op);
    Py_DECREF(t);
}
static PyObject* b_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    (void)kwargs;
    return PyArg_ParseTuple(args, "") ? type->tp_alloc(type, 0) : NULL;
}
static PyObject* b_get(PyObject* op, void* c) {
    (void)c;
    PyObject* v = ((Box*)op)->value;
    return Py_NewRef(v ? v : Py_None);
}
static int b_set(PyObject* op, PyObject* v, void* c) {
    (void)c;
    Py_XSETREF(((Box*)op)->value, Py_XNewRef(v));
    return 0;
}
static PyGetSetDef gs[] = {{"value", b_get, b_set, NULL, NULL}, {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot slots[] = {{Py_tp_new, b_new},           {Py_tp_dealloc, b_dealloc},
                              {Py_tp_traverse, b_traverse}, {Py_tp_clear, b_clear},
                              {Py_tp_getset, gs},           {0, NULL}};
static PyType_Spec spec = {"zoo.Box", sizeof(Box), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                           slots};
static PyObject* make_type(PyObject* m, PyObject* none) {
    (void)none;
    return PyType_FromModuleAndSpec(m, &spec, NULL);
}
static PyObject* make_box(PyObject* m, PyObject* none) {
    PyObject* t = make_type(m, none);
    PyObject* made = t ? PyObject_CallNoArgs(t) : NULL;
    Py_XDECREF(t);
    return made;
}
static PyMethodDef methods[] = {{"make_type", make_type, METH_NOARGS, NULL},
                                {"make_box", make_box, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static int zoo_exec(PyObject* m) {
    (void)m;
    return 0;
}
static PyModuleDef_Slot mslots[] = {{Py_mod_exec, zoo_exec}, {0, NULL}};
static PyModuleDef def = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_methods = methods,
                          .m_slots = mslots};
PyMODINIT_FUNC PyInit_zoo(void) {
    return PyModuleDef_Init(&def);
}
