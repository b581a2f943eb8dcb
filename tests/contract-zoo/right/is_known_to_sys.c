/* The module's list of hooks is in sys, too, so long as the module is alive: m_clear takes it out. */
#include <Python.h>
#include <stddef.h>
typedef struct {
    PyObject* hooks;
    int is_in_sys;
} State;
static int zoo_exec(PyObject* m) {
    State* s = PyModule_GetState(m);
    s->hooks = PyList_New(0);
    if (s->hooks == NULL || PySys_SetObject("zoo_hooks", s->hooks) < 0)
        return -1;
    s->is_in_sys = 1;
    return 0;
}
static int zoo_traverse(PyObject* m, visitproc visit, void* arg) {
    State* s = PyModule_GetState(m);
    Py_VISIT(s->hooks);
    return 0;
}
static int zoo_clear(PyObject* m) {
    State* s = PyModule_GetState(m);
    if (s->is_in_sys) {
        s->is_in_sys = 0;
        if (PySys_SetObject("zoo_hooks", NULL) < 0)
            PyErr_Clear();
    }
    Py_CLEAR(s->hooks);
    return 0;
}
static void zoo_free(void* m) {
    zoo_clear(m);
}
static PyObject* add(PyObject* m, PyObject* hook) {
    State* s = PyModule_GetState(m);
    if (s->hooks && PyList_Append(s->hooks, hook) < 0)
        return NULL;
    Py_RETURN_NONE;
}
static PyMethodDef functions[] = {{"add", add, METH_O, NULL}, {0}};
static PyModuleDef_Slot ms[] = {{Py_mod_exec, zoo_exec}, {0, NULL}};
static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT,   .m_name = "zoo",
                                        .m_size = sizeof(State), .m_slots = ms,
                                        .m_methods = functions,  .m_traverse = zoo_traverse,
                                        .m_clear = zoo_clear,    .m_free = zoo_free};
PyMODINIT_FUNC PyInit_zoo(void) {
    return PyModuleDef_Init(&zoo_module);
}
