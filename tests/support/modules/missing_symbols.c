/* A module that needs what no runtime has. */
#include <Python.h>

extern PyObject* PyNot_There(void);
extern PyObject* PyNot_ThereEither(void);

PyMODINIT_FUNC PyInit_missing_symbols(void) {
    Py_XDECREF(PyNot_There());
    return PyNot_ThereEither();
}
