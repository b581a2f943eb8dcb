#include "core/builtins/call/result.hpp"

#include "core/builtins/exception/errors.hpp"

namespace ouro::call {

PyObject* refuse_null() {
    if (PyErr_Occurred() == nullptr) {
        PyErr_SetString(PyExc_SystemError, "null argument to internal routine");
    }
    return nullptr;
}

PyObject* refuse_result(PyObject* callable, PyObject* result) {
    if (result == nullptr) {
        return PyErr_Format(PyExc_SystemError, "%R returned NULL without setting an exception",
                            callable);
    }
    Py_DECREF(result);
    exception::format_from_cause(PyExc_SystemError, "%R returned a result with an exception set",
                                 callable);
    return nullptr;
}

}  // namespace ouro::call
