/* A module that is made at once and does not say that it can do without the global lock. */
#include <Python.h>

static PyObject* one_phase_add(PyObject* self, PyObject* args) {
    PyObject *left, *right;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO:add", &left, &right)) {
        return NULL;
    }
    return PyNumber_Add(left, right);
}

static PyMethodDef one_phase_methods[] = {
    {"add", one_phase_add, METH_VARARGS, "The sum of two objects."}, {NULL, NULL, 0, NULL}};

static struct PyModuleDef one_phase_module = {
    PyModuleDef_HEAD_INIT, .m_name = "one_phase",          .m_doc = "Made at once.",
    .m_size = 0,           .m_methods = one_phase_methods,
};

PyMODINIT_FUNC PyInit_one_phase(void) {
    PyObject* module = PyModule_Create(&one_phase_module);
    if (module != NULL && PyModule_AddIntConstant(module, "answer", 42) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
