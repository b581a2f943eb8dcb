/* A package that is a shared object itself. */
#include <Python.h>

static PyModuleDef_Slot package_slots[] = {{Py_mod_gil, Py_MOD_GIL_NOT_USED}, {0, NULL}};

static struct PyModuleDef package_module = {
    PyModuleDef_HEAD_INIT, "package", "A package.", 0, NULL, package_slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_package(void) {
    return PyModuleDef_Init(&package_module);
}
