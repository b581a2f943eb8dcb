#include "core/call/result.hpp"

namespace ouro::object {

PyObject* refuse_result(PyObject* callable, PyObject* result) {
    const char* rule = result == nullptr ? "returned NULL without setting an exception"
                                         : "returned a result with an exception set";
    Py_XDECREF(result);
    return PyErr_Format(PyExc_SystemError, "%R %s", callable, rule);
}

}  // namespace ouro::object
