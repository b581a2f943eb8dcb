// Types and what a test reads of objects through them.
#pragma once

#include <string>

#include "tests/contract/things.hpp"

namespace ouro::test {

inline PyTypeObject* as_type(PyObject* op) {
    return reinterpret_cast<PyTypeObject*>(op);
}
inline PyObject* as_object(PyTypeObject* type) {
    return reinterpret_cast<PyObject*>(type);
}

// repr() of an attribute; "<none>", with the exception set, where there is none.
inline std::string attribute(PyObject* op, const char* name) {
    PyObject* value = PyObject_GetAttrString(op, name);
    PyObject* repr = value == nullptr ? nullptr : PyObject_Repr(value);
    std::string text = repr == nullptr ? "<none>" : PyUnicode_AsUTF8(repr);
    Py_XDECREF(repr);
    Py_XDECREF(value);
    return text;
}

// repr() of a result, or the exception as "Class: message"; takes the reference.
inline std::string said(PyObject* op) {
    if (op == nullptr) {
        const Unraisable error = take_error();
        return error.type + ": " + error.message;
    }
    PyObject* repr = PyObject_Repr(op);
    std::string text = repr == nullptr ? "no repr" : PyUnicode_AsUTF8(repr);
    Py_XDECREF(repr);
    Py_DECREF(op);
    return text;
}

}  // namespace ouro::test
