#include "core/builtins/number/number_arguments.hpp"

#include <new>
#include <string>

namespace ouro::number {

bool take_int_arguments(PyObject* args, PyObject* kwargs, IntArguments* taken) {
    const Py_ssize_t positional = PyTuple_GET_SIZE(args);
    const Py_ssize_t named = kwargs == nullptr ? 0 : PyDict_Size(kwargs);
    if (positional + named > 2) {
        PyErr_Format(PyExc_TypeError, "int() takes at most 2 %sarguments (%zd given)",
                     positional == 0 ? "keyword " : "", positional + named);
        return false;
    }
    taken->x = positional > 0 ? PyTuple_GET_ITEM(args, 0) : nullptr;
    taken->base = positional > 1 ? PyTuple_GET_ITEM(args, 1) : nullptr;
    Py_ssize_t position = 0;
    PyObject *key, *value;
    while (named > 0 && PyDict_Next(kwargs, &position, &key, &value) != 0) {
        const char* name = PyUnicode_AsUTF8(key);
        if (name == nullptr) {
            return false;
        }
        if (std::string_view(name) != "base") {
            PyErr_Format(PyExc_TypeError, "int() got an unexpected keyword argument '%s'", name);
            return false;
        }
        taken->base = value;
    }
    return true;
}

bool take_one_argument(const char* name, PyObject* args, PyObject* kwargs, PyObject** x) {
    if (kwargs != nullptr && PyDict_Size(kwargs) > 0) {
        PyErr_Format(PyExc_TypeError, "%s() takes no keyword arguments", name);
        return false;
    }
    const Py_ssize_t given = PyTuple_GET_SIZE(args);
    if (given > 1) {
        PyErr_Format(PyExc_TypeError, "%s expected at most 1 argument, got %zd", name, given);
        return false;
    }
    *x = given == 1 ? PyTuple_GET_ITEM(args, 0) : nullptr;
    return true;
}

PyObject* null_argument() {
    if (PyErr_Occurred() == nullptr) {
        PyErr_SetString(PyExc_SystemError, "null argument to internal routine");
    }
    return nullptr;
}

BufferView::BufferView(PyObject* op) : valid_(PyObject_GetBuffer(op, &view_, PyBUF_SIMPLE) == 0) {}

BufferView::~BufferView() {
    if (valid_) {
        PyBuffer_Release(&view_);
    }
}

PyObject* shown(PyObject* source) {
    if (const reprfunc repr = Py_TYPE(source)->tp_repr) {
        return repr(source);
    }
    const char* text = PyUnicode_AsUTF8(source);
    if (text == nullptr) {
        return nullptr;
    }
    try {
        std::string quoted(1, '\'');
        quoted += text;
        quoted += '\'';
        return PyUnicode_FromString(quoted.c_str());
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    }
}

}  // namespace ouro::number
