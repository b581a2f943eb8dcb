#include "core/builtins/type/lookup.hpp"

#include <algorithm>
#include <cstring>

#include "core/builtins/type/descriptor.hpp"
#include "core/builtins/type/lookup_cache.hpp"

namespace ouro::type {
namespace {

// After the parameters of a signature.
constexpr const char* kEndOfSignature = ")\n--\n\n";

// Where the signature at the beginning of a doc string, "name(...)", ends; nullptr if there is none.
const char* end_of_signature(const char* text) {
    const char* open = std::strchr(text, '(');
    const char* end = std::strstr(text, kEndOfSignature);
    if (open == nullptr || end == nullptr) {
        return nullptr;
    }
    // The signature is the name's own, on one line.
    const auto ends_name = [](char c) { return c == ' ' || c == '\n'; };
    return std::any_of(text, open, ends_name) ? nullptr : end + 1;
}

}  // namespace

PyObject* name_of_attribute(const char* name) {
    return PyUnicode_InternFromString(name);
}

const char* doc_of(const char* text) {
    const char* end = text == nullptr ? nullptr : end_of_signature(text);
    return end == nullptr ? text : end + std::strlen(kEndOfSignature) - 1;
}

PyObject* doc_or_none(const char* text) {
    const char* doc = doc_of(text);
    return doc == nullptr ? Py_NewRef(Py_None) : PyUnicode_FromString(doc);
}

PyObject* signature_or_none(const char* text) {
    const char* end = text == nullptr ? nullptr : end_of_signature(text);
    if (end == nullptr) {
        return Py_NewRef(Py_None);
    }
    const char* begin = std::strchr(text, '(');
    return PyUnicode_FromStringAndSize(begin, end - begin);
}

bool refuse_name(PyObject* name) {
    PyErr_Format(PyExc_TypeError, "attribute name must be string, not '%.200s'",
                 Py_TYPE(name)->tp_name);
    return false;
}

int look_in_bases(PyTypeObject* type, PyObject* name, PyObject** result) {
    if (PyType_Ready(type) < 0) {
        return -1;
    }
    const uint32_t version = version_to_remember(type, name);
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
            if (found > 0) {
                remember(version, name, *result);
            }
            return found;
        }
    }
    remember(version, name, nullptr);
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
