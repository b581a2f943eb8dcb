/* Init functions that do not keep their rules. */
#include <Python.h>

PyMODINIT_FUNC PyInit_init_null(void) {
    return NULL;
}

PyMODINIT_FUNC PyInit_init_raises(void) {
    PyErr_SetString(PyExc_ValueError, "raised by the init function");
    return NULL;
}

static struct PyModuleDef both_module = {
    PyModuleDef_HEAD_INIT, "init_both", NULL, 0, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_init_both(void) {
    PyObject* module = PyModule_Create(&both_module);
    PyErr_SetString(PyExc_ValueError, "not reported");
    return module;
}

static struct PyModuleDef uninitialised_module = {
    PyModuleDef_HEAD_INIT, "init_uninitialised", NULL, 0, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_init_uninitialised(void) {
    return (PyObject*)&uninitialised_module;
}

PyMODINIT_FUNC PyInit_init_number(void) {
    return PyLong_FromLong(1);
}

static int silent_exec(PyObject* module) {
    (void)module;
    return -1;
}

static PyModuleDef_Slot silent_slots[] = {{Py_mod_exec, silent_exec}, {0, NULL}};
static struct PyModuleDef silent_module = {PyModuleDef_HEAD_INIT, "exec_silent", NULL, 0,   NULL,
                                           silent_slots,          NULL,          NULL, NULL};

PyMODINIT_FUNC PyInit_exec_silent(void) {
    return PyModuleDef_Init(&silent_module);
}

static PyTypeObject BadType = {
    .ob_base = PyVarObject_HEAD_INIT(NULL, 0).tp_name = "exec_bad_type.Bad",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
};

static int bad_type_exec(PyObject* module) {
    return PyModule_AddType(module, &BadType);
}

static PyModuleDef_Slot bad_type_slots[] = {{Py_mod_exec, bad_type_exec}, {0, NULL}};
static struct PyModuleDef bad_type_module = {
    PyModuleDef_HEAD_INIT, "exec_bad_type", NULL, 0, NULL, bad_type_slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_exec_bad_type(void) {
    return PyModuleDef_Init(&bad_type_module);
}
