/* The state's registry has, among its entries, a function that is bound to it; m_clear empties the registry before it
 * drops it. */
#include <Python.h>
typedef struct {
    PyObject* registry;
} State;
static PyObject* reset(PyObject* registry, PyObject* none) {
    (void)none;
    return PyLong_FromSsize_t(PyDict_Size(registry));
}
static PyMethodDef reset_def = {"reset", reset, METH_NOARGS, NULL};
static PyObject* size(PyObject* m, PyObject* none) {
    (void)none;
    State* st = PyModule_GetState(m);
    return PyLong_FromSsize_t(st->registry ? PyDict_Size(st->registry) : 0);
}
static PyMethodDef methods[] = {{"size", size, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static int zoo_exec(PyObject* m) {
    State* st = PyModule_GetState(m);
    st->registry = PyDict_New();
    PyObject* f = st->registry ? PyCFunction_New(&reset_def, st->registry) : NULL;
    int r = f ? PyDict_SetItemString(st->registry, "reset", f) : -1;
    Py_XDECREF(f);
    return r;
}
static int m_traverse(PyObject* m, visitproc visit, void* arg) {
    State* st = PyModule_GetState(m);
    Py_VISIT(st->registry);
    return 0;
}
static int m_clear(PyObject* m) {
    State* st = PyModule_GetState(m);
    if (st->registry)
        PyDict_Clear(st->registry);
    Py_CLEAR(st->registry);
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
