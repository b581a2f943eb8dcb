/* The module's state knows the value that the current session was given last; a new session begins without one. */
#include <Python.h>
typedef struct {
    PyObject* type;
    PyObject* last;
} State;
typedef struct {
    PyObject_HEAD
    PyObject* value;
} Session;
static PyModuleDef def;
static State* state_of(PyTypeObject* type) {
    PyObject* m = PyType_GetModuleByDef(type, &def);
    return m ? (State*)PyModule_GetState(m) : NULL;
}
static int s_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(((Session*)op)->value);
    return 0;
}
static int s_clear(PyObject* op) {
    Py_CLEAR(((Session*)op)->value);
    return 0;
}
static void s_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    s_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
}
static PyObject* s_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    (void)kwargs;
    if (!PyArg_ParseTuple(args, ""))
        return NULL;
    State* st = state_of(type);
    if (!st)
        return NULL;
    Py_CLEAR(st->last);
    return type->tp_alloc(type, 0);
}
static PyObject* s_get(PyObject* op, void* c) {
    (void)c;
    PyObject* v = ((Session*)op)->value;
    return Py_NewRef(v ? v : Py_None);
}
static int s_set(PyObject* op, PyObject* v, void* c) {
    (void)c;
    State* st = state_of(Py_TYPE(op));
    if (!st)
        return -1;
    Py_XSETREF(((Session*)op)->value, Py_XNewRef(v));
    Py_XSETREF(st->last, Py_XNewRef(v));
    return 0;
}
static PyGetSetDef gs[] = {{"value", s_get, s_set, NULL, NULL}, {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot slots[] = {{Py_tp_new, s_new},           {Py_tp_dealloc, s_dealloc},
                              {Py_tp_traverse, s_traverse}, {Py_tp_clear, s_clear},
                              {Py_tp_getset, gs},           {0, NULL}};
static PyType_Spec spec = {"zoo.Session", sizeof(Session), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
                           slots};
static PyObject* last(PyObject* m, PyObject* none) {
    (void)none;
    State* st = PyModule_GetState(m);
    return Py_NewRef(st->last ? st->last : Py_None);
}
static PyMethodDef methods[] = {{"last", last, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static int zoo_exec(PyObject* m) {
    State* st = PyModule_GetState(m);
    st->type = PyType_FromModuleAndSpec(m, &spec, NULL);
    return st->type ? PyModule_AddObjectRef(m, "Session", st->type) : -1;
}
static int m_traverse(PyObject* m, visitproc visit, void* arg) {
    State* st = PyModule_GetState(m);
    Py_VISIT(st->type);
    Py_VISIT(st->last);
    return 0;
}
static int m_clear(PyObject* m) {
    State* st = PyModule_GetState(m);
    Py_CLEAR(st->type);
    Py_CLEAR(st->last);
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
