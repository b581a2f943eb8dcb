#include "core/builtins/type/names.hpp"

#include <cstring>

#include "core/builtins/type/heap_type.hpp"
#include "core/object/own.hpp"

namespace ouro::type {

using object::Own;

const char* last_part(const char* name) {
    const char* dot = std::strrchr(name, '.');
    return dot == nullptr ? name : dot + 1;
}

const char* short_name(const PyTypeObject* type) {
    if (is_heap_type(type)) {
        const auto* heap_type = reinterpret_cast<const PyHeapTypeObject*>(type);
        if (heap_type->ht_name != nullptr) {
            return PyUnicode_AsUTF8(heap_type->ht_name);
        }
    }
    return last_part(type->tp_name);
}

const char* checked_name(PyObject* name) {
    Py_ssize_t size;
    const char* text = PyUnicode_AsUTF8AndSize(name, &size);
    if (text != nullptr && std::strlen(text) != static_cast<size_t>(size)) {
        PyErr_SetString(PyExc_ValueError, "type name must not contain null characters");
        return nullptr;
    }
    return text;
}

PyObject* module_name_of(PyTypeObject* type) {
    if (is_heap_type(type)) {
        PyObject* module = nullptr;
        if (type->tp_dict != nullptr &&
            PyDict_GetItemStringRef(type->tp_dict, "__module__", &module) == 0) {
            PyErr_SetString(PyExc_AttributeError, "__module__");
        }
        return module;
    }
    const char* dot = std::strrchr(type->tp_name, '.');
    return dot == nullptr ? PyUnicode_FromString("builtins")
                          : PyUnicode_FromStringAndSize(type->tp_name, dot - type->tp_name);
}

PyObject* qualified_name_of(PyTypeObject* type) {
    if (is_heap_type(type)) {
        if (PyObject* name = as_heap_type(type)->ht_qualname) {
            return Py_NewRef(name);
        }
    }
    return PyUnicode_FromString(short_name(type));
}

PyObject* full_name_of(PyTypeObject* type) {
    if (!is_heap_type(type)) {
        return PyUnicode_FromString(type->tp_name);
    }
    const Own module(module_name_of(type));
    if (!module) {
        PyErr_Clear();
    }
    Own name(qualified_name_of(type));
    const bool is_shown = module && PyUnicode_Check(module.get()) &&
                          PyUnicode_CompareWithASCIIString(module.get(), "builtins") != 0;
    return name && is_shown ? PyUnicode_FromFormat("%U.%U", module.get(), name.get())
                            : name.release();
}

}  // namespace ouro::type

using namespace ouro;

PyObject* PyType_GetName(PyTypeObject* type) {
    return PyUnicode_FromString(type::short_name(type));
}

PyObject* PyType_GetQualName(PyTypeObject* type) {
    return type::qualified_name_of(type);
}

PyObject* PyType_GetModuleName(PyTypeObject* type) {
    return type::module_name_of(type);
}

PyObject* PyType_GetFullyQualifiedName(PyTypeObject* type) {
    return type::full_name_of(type);
}
