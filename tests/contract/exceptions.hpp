// Making exceptions and looking at them.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "tests/contract/things.hpp"

namespace ouro::test {

inline PyObject* text(const char* utf8) {
    return PyUnicode_FromString(utf8);
}

// A tuple of new references, which it steals.
inline PyObject* tuple(std::initializer_list<PyObject*> items) {
    PyObject* made = PyTuple_New(static_cast<Py_ssize_t>(items.size()));
    Py_ssize_t i = 0;
    for (PyObject* item : items) {
        PyTuple_SET_ITEM(made, i++, item);
    }
    return made;
}

// type(*args, **kwargs), of new references, which it steals: an instance or nullptr with an exception.
inline PyObject* make(PyObject* type, std::initializer_list<PyObject*> items = {},
                      std::initializer_list<std::pair<const char*, PyObject*>> named = {}) {
    PyObject* args = tuple(items);
    PyObject* kwargs = named.size() == 0 ? nullptr : PyDict_New();
    for (const auto& [name, value] : named) {
        PyDict_SetItemString(kwargs, name, value);
        Py_DECREF(value);
    }
    auto* made_by = reinterpret_cast<PyTypeObject*>(type);
    PyObject* op = made_by->tp_new(made_by, args, kwargs);
    if (op != nullptr && Py_TYPE(op)->tp_init(op, args, kwargs) < 0) {
        Py_CLEAR(op);
    }
    Py_XDECREF(kwargs);
    Py_DECREF(args);
    return op;
}

// What a str says, which it steals; what went wrong if there is none.
inline std::string said(PyObject* op) {
    if (op == nullptr) {
        const Unraisable error = take_error();
        return error.type + ": " + error.message;
    }
    const char* utf8 = PyUnicode_AsUTF8(op);
    std::string all = utf8 == nullptr ? "no str" : utf8;
    Py_DECREF(op);
    return all;
}

inline std::string str(PyObject* exception) {
    return said(Py_TYPE(exception)->tp_str(exception));
}

inline std::string repr(PyObject* exception) {
    return said(Py_TYPE(exception)->tp_repr(exception));
}

// str and repr of an exception, which they steal.
inline std::string str_once(PyObject* exception) {
    std::string all = str(exception);
    Py_DECREF(exception);
    return all;
}

inline std::string repr_once(PyObject* exception) {
    std::string all = repr(exception);
    Py_DECREF(exception);
    return all;
}

// Calls one of the methods of all exceptions with one argument.
inline PyObject* call_method(PyObject* exception, std::string_view name, PyObject* argument) {
    const PyMethodDef* method = reinterpret_cast<PyTypeObject*>(PyExc_BaseException)->tp_methods;
    while (name != method->ml_name) {
        ++method;
    }
    return method->ml_meth(exception, argument);
}

}  // namespace ouro::test
