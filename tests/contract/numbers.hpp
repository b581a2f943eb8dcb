// Numbers as text and back, for tests of what they do.
#pragma once

#include <initializer_list>
#include <limits>
#include <string>

#include "tests/contract/things.hpp"

namespace ouro::test {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// An int of any size from its digits (new reference).
inline PyObject* integer(const std::string& digits, int base = 10) {
    return PyLong_FromString(digits.c_str(), nullptr, base);
}

// What tp_repr says of an object, which is stolen; of a tuple, what it says of its items; a str itself. If op
// is NULL, the exception, as "Class: message".
inline std::string take_text(PyObject* op) {
    if (op == nullptr) {
        const Unraisable error = take_error();
        return error.type + ": " + error.message;
    }
    std::string text;
    if (PyTuple_Check(op)) {
        for (Py_ssize_t i = 0; i < PyTuple_Size(op); ++i) {
            text += (i == 0 ? "(" : ", ") + take_text(Py_NewRef(PyTuple_GetItem(op, i)));
        }
        text += ")";
    } else if (PyUnicode_Check(op)) {
        text = PyUnicode_AsUTF8(op);
    } else if (PyObject* shown = Py_TYPE(op)->tp_repr(op)) {
        text = PyUnicode_AsUTF8(shown);
        Py_DECREF(shown);
    } else {
        text = take_text(nullptr);
    }
    Py_DECREF(op);
    return text;
}

// What a type makes of arguments, as a call does it: tp_new. Steals those by position.
inline std::string made_by(PyTypeObject* type, std::initializer_list<PyObject*> positional,
                           PyObject* kwargs = nullptr) {
    PyObject* args = PyTuple_New(static_cast<Py_ssize_t>(positional.size()));
    Py_ssize_t i = 0;
    for (PyObject* op : positional) {
        PyTuple_SET_ITEM(args, i++, op);
    }
    const std::string text = take_text(type->tp_new(type, args, kwargs));
    Py_DECREF(args);
    return text;
}

// The text of what `operation` makes of two objects, which are stolen.
inline std::string apply(PyObject* (*operation)(PyObject*, PyObject*), PyObject* x, PyObject* y) {
    const std::string text = take_text(operation(x, y));
    drop({x, y});
    return text;
}

inline std::string apply(PyObject* (*operation)(PyObject*, PyObject*), double x, double y) {
    return apply(operation, PyFloat_FromDouble(x), PyFloat_FromDouble(y));
}

inline std::string apply(PyObject* (*operation)(PyObject*), PyObject* x) {
    const std::string text = take_text(operation(x));
    Py_DECREF(x);
    return text;
}

}  // namespace ouro::test
