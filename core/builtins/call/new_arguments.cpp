#include "core/builtins/call/new_arguments.hpp"

#include <algorithm>

#include "core/builtins/text/unicode.hpp"

namespace ouro::call {

bool take_arguments(const char* function, std::initializer_list<const char*> names, PyObject* args,
                    PyObject* kwargs, PyObject** given) {
    const Py_ssize_t by_position = PyTuple_GET_SIZE(args);
    const Py_ssize_t count = by_position + (kwargs == nullptr ? 0 : PyDict_Size(kwargs));
    if (count > static_cast<Py_ssize_t>(names.size())) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %zu arguments (%zd given)", function,
                     names.size(), count);
        return false;
    }
    for (Py_ssize_t i = 0; i < by_position; ++i) {
        given[i] = PyTuple_GET_ITEM(args, i);
    }
    Py_ssize_t position = 0;
    PyObject *key, *value;
    while (kwargs != nullptr && PyDict_Next(kwargs, &position, &key, &value) != 0) {
        if (!PyUnicode_Check(key)) {
            PyErr_SetString(PyExc_TypeError, "keywords must be strings");
            return false;
        }
        const auto* name = std::ranges::find_if(
            names, [key](const char* each) { return PyUnicode_EqualToUTF8(key, each) != 0; });
        if (name == names.end()) {
            PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%s'", function,
                         text::text_in(key).data());
            return false;
        }
        const auto index = name - names.begin();
        if (index < by_position) {
            PyErr_Format(PyExc_TypeError,
                         "argument for %s() given by name ('%s') and position (%zd)", function,
                         *name, static_cast<Py_ssize_t>(index + 1));
            return false;
        }
        given[index] = value;
    }
    return true;
}

bool check_count(const char* function, Py_ssize_t given, Py_ssize_t min, Py_ssize_t max) {
    if (given >= min && given <= max) {
        return true;
    }
    const bool few = given < min;
    const Py_ssize_t limit = few ? min : max;
    const char* bound = min == max ? "" : few ? "at least " : "at most ";
    const char* plural = limit == 1 ? "" : "s";
    if (function != nullptr) {
        PyErr_Format(PyExc_TypeError, "%.200s expected %s%zd argument%s, got %zd", function, bound,
                     limit, plural, given);
    } else {
        PyErr_Format(PyExc_TypeError, "unpacked tuple should have %s%zd element%s, but has %zd",
                     bound, limit, plural, given);
    }
    return false;
}

bool refuse_keywords(const char* function, PyObject* kwargs) {
    if (kwargs == nullptr || PyDict_Size(kwargs) == 0) {
        return true;
    }
    PyErr_Format(PyExc_TypeError, "%.200s() takes no keyword arguments", function);
    return false;
}

bool take_ssize(PyObject* op, Py_ssize_t* value) {
    PyObject* index = PyNumber_Index(op);
    if (index == nullptr) {
        return false;
    }
    *value = PyLong_AsSsize_t(index);
    Py_DECREF(index);
    return *value != -1 || PyErr_Occurred() == nullptr;
}

bool take_text(const char* function, const char* name, PyObject* op, const char** text) {
    *text = nullptr;
    if (op != nullptr && !PyUnicode_Check(op)) {
        PyErr_Format(PyExc_TypeError, "%s() argument '%s' must be str, not %.50s", function, name,
                     Py_TYPE(op)->tp_name);
        return false;
    }
    if (op != nullptr) {
        *text = PyUnicode_AsUTF8(op);
    }
    return op == nullptr || *text != nullptr;
}

}  // namespace ouro::call
