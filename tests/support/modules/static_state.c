/* A module whose state is in static variables: its init function is called once in a runtime. */
#include <Python.h>

static int inits = 0;

static PyObject* static_state_inits(PyObject* self, PyObject* none) {
    (void)self;
    (void)none;
    return PyLong_FromLong(inits);
}

static PyMethodDef static_state_methods[] = {{"inits", static_state_inits, METH_NOARGS, NULL},
                                             {NULL, NULL, 0, NULL}};

static struct PyModuleDef static_state_module = {
    PyModuleDef_HEAD_INIT, "static_state", NULL, -1, static_state_methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_static_state(void) {
    ++inits;
    return PyModule_Create(&static_state_module);
}
