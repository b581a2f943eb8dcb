// str: UTF-8 text with its hash.
#include <cstring>
#include <functional>
#include <string_view>

#include "core/object/compare.hpp"
#include "core/object/object.hpp"

using namespace ouro;

namespace {

struct UnicodeObject {
    PyObject ob_base;
    Py_hash_t hash;   // -1 until it is computed
    Py_ssize_t size;  // bytes, without the zero that ends the text
    char text[1];
};
constexpr size_t kTextOffset = offsetof(UnicodeObject, text);

UnicodeObject* unicode(PyObject* op) {
    return reinterpret_cast<UnicodeObject*>(op);
}

std::string_view view(PyObject* op) {
    return {unicode(op)->text, static_cast<size_t>(unicode(op)->size)};
}

Py_hash_t unicode_hash(PyObject* op) {
    Py_hash_t hash = __atomic_load_n(&unicode(op)->hash, __ATOMIC_RELAXED);
    if (hash == -1) {
        hash = static_cast<Py_hash_t>(std::hash<std::string_view>()(view(op)));
        hash = hash == -1 ? -2 : hash;
        __atomic_store_n(&unicode(op)->hash, hash, __ATOMIC_RELAXED);
    }
    return hash;
}

PyObject* unicode_richcompare(PyObject* a, PyObject* b, int operation) {
    if (!PyUnicode_Check(a) || !PyUnicode_Check(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    // UTF-8 sorts as its code points do.
    return PyBool_FromLong(object::holds(operation, object::order_of(view(a), view(b))));
}

}  // namespace

PyTypeObject PyUnicode_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "str",
    .tp_basicsize = kTextOffset,
    .tp_itemsize = 1,
    .tp_hash = unicode_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_UNICODE_SUBCLASS,
    .tp_richcompare = unicode_richcompare,
};

PyObject* PyUnicode_FromStringAndSize(const char* text, Py_ssize_t size) {
    if (size < 0) {
        PyErr_SetString(PyExc_SystemError, "Negative size passed to PyUnicode_FromStringAndSize");
        return nullptr;
    }
    if (size > PY_SSIZE_T_MAX - static_cast<Py_ssize_t>(sizeof(UnicodeObject))) {
        return PyErr_NoMemory();
    }
    const auto bytes = static_cast<size_t>(size);
    PyObject* op = object::allocate_atom(&PyUnicode_Type, kTextOffset + bytes + 1);
    if (op == nullptr) {
        return nullptr;
    }
    unicode(op)->hash = -1;
    unicode(op)->size = size;
    if (bytes > 0) {
        std::memcpy(unicode(op)->text, text, bytes);
    }
    unicode(op)->text[bytes] = '\0';
    return op;
}

PyObject* PyUnicode_FromString(const char* text) {
    return PyUnicode_FromStringAndSize(text, static_cast<Py_ssize_t>(std::strlen(text)));
}

const char* PyUnicode_AsUTF8AndSize(PyObject* op, Py_ssize_t* size) {
    if (!PyUnicode_Check(op)) {
        PyErr_Format(PyExc_TypeError, "expected str, got '%s'", Py_TYPE(op)->tp_name);
        return nullptr;
    }
    if (size != nullptr) {
        *size = unicode(op)->size;
    }
    return unicode(op)->text;
}

const char* PyUnicode_AsUTF8(PyObject* op) {
    return PyUnicode_AsUTF8AndSize(op, nullptr);
}
