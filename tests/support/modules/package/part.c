/* A module of a package, made at once: it calls itself by its last name. */
#include <Python.h>

static struct PyModuleDef part_module = {
    PyModuleDef_HEAD_INIT, "part", "Part of a package.", 0, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_part(void) {
    return PyModule_Create(&part_module);
}
