#include "core/type/lookup.hpp"

#include <cstring>

#include "core/type/descriptor.hpp"

namespace ouro::type {

PyObject* name_of_attribute(const char* name) {
    return PyUnicode_InternFromString(name);
}

const char* doc_of(const char* text) {
    if (text == nullptr) {
        return nullptr;
    }
    const char* open = std::strchr(text, '(');
    const char* end = std::strstr(text, ")\n--\n\n");
    if (open == nullptr || end == nullptr) {
        return text;
    }
    // The signature is the name's own, on one line.
    for (const char* c = text; c < open; ++c) {
        if (*c == ' ' || *c == '\n') {
            return text;
        }
    }
    return end + std::strlen(")\n--\n\n");
}

bool check_name(PyObject* name) {
    if (PyUnicode_Check(name)) {
        return true;
    }
    PyErr_Format(PyExc_TypeError, "attribute name must be string, not '%.200s'",
                 Py_TYPE(name)->tp_name);
    return false;
}

int lookup(PyTypeObject* type, PyObject* name, PyObject** result) {
    *result = nullptr;
    if (PyType_Ready(type) < 0) {
        return -1;
    }
    PyObject* mro = type->tp_mro;
    if (mro == nullptr) {  // a class that was cleared as garbage
        return 0;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro); ++i) {
        auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(mro, i));
        if (base->tp_dict == nullptr) {  // a static type of a runtime that has ended
            continue;
        }
        if (const int found = PyDict_GetItemRef(base->tp_dict, name, result); found != 0) {
            return found;
        }
    }
    return 0;
}

int lookup(PyTypeObject* type, const char* name, PyObject** result) {
    PyObject* text = name_of_attribute(name);
    if (text == nullptr) {
        *result = nullptr;
        return -1;
    }
    const int found = lookup(type, text, result);
    Py_DECREF(text);
    return found;
}

}  // namespace ouro::type
