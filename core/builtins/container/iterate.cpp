#include "core/builtins/container/iterate.hpp"

namespace ouro::container {

PyObject* items_of_iterable(PyObject* op, const char* message) {
    if (PyTuple_CheckExact(op)) {
        return Py_NewRef(op);
    }
    if (PyList_CheckExact(op)) {
        return PyList_GetSlice(op, 0, PY_SSIZE_T_MAX);
    }
    return PySequence_Fast(op, message);
}

}  // namespace ouro::container
