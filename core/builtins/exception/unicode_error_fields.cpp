// The fields of errors of text, for codecs written in C: which part of what, and why.
#include <algorithm>

#include "core/builtins/exception/exceptions.hpp"

using namespace ouro;

namespace {

PyUnicodeErrorObject* fields(PyObject* op) {
    return reinterpret_cast<PyUnicodeErrorObject*>(op);
}

// New reference to a field; NULL with TypeError if it is none of these yet.
PyObject* field(PyObject* value, bool is_it, const char* name, const char* kind) {
    if (value == nullptr) {
        return PyErr_Format(PyExc_TypeError, "%.200s attribute not set", name);
    }
    if (!is_it) {
        return PyErr_Format(PyExc_TypeError, "%.200s attribute must be %s", name, kind);
    }
    return Py_NewRef(value);
}

PyObject* text_field(PyObject* value, const char* name) {
    return field(value, value != nullptr && PyUnicode_Check(value), name, "unicode");
}

PyObject* object_of(PyObject* op, bool bytes) {
    PyObject* object = fields(op)->object;
    return bytes ? field(object, object != nullptr && PyBytes_Check(object), "object", "bytes")
                 : text_field(object, "object");
}

// The size of the object; -1 with TypeError.
Py_ssize_t size_of(PyObject* op, bool bytes) {
    PyObject* object = object_of(op, bytes);
    if (object == nullptr) {
        return -1;
    }
    const Py_ssize_t size = bytes ? PyBytes_GET_SIZE(object) : PyUnicode_GET_LENGTH(object);
    Py_DECREF(object);
    return size;
}

// Both are kept inside the object, whatever was stored.
int get_start(PyObject* op, bool bytes, Py_ssize_t* start) {
    const Py_ssize_t size = size_of(op, bytes);
    if (size < 0) {
        return -1;
    }
    *start = std::min(std::max<Py_ssize_t>(fields(op)->start, 0), size - 1);
    return 0;
}

int get_end(PyObject* op, bool bytes, Py_ssize_t* end) {
    const Py_ssize_t size = size_of(op, bytes);
    if (size < 0) {
        return -1;
    }
    *end = std::min(std::max<Py_ssize_t>(fields(op)->end, 1), size);
    return 0;
}

int set_reason(PyObject* op, const char* reason) {
    PyObject* text = PyUnicode_FromString(reason);
    if (text == nullptr) {
        return -1;
    }
    exception::replace(op, &fields(op)->reason, text);
    return 0;
}

}  // namespace

#define OURO_TEXT_ERROR(Name, bytes)                                    \
    PyObject* PyUnicode##Name##_GetObject(PyObject* op) {               \
        return object_of(op, bytes);                                    \
    }                                                                   \
    int PyUnicode##Name##_GetStart(PyObject* op, Py_ssize_t* start) {   \
        return get_start(op, bytes, start);                             \
    }                                                                   \
    int PyUnicode##Name##_SetStart(PyObject* op, Py_ssize_t start) {    \
        fields(op)->start = start;                                      \
        return 0;                                                       \
    }                                                                   \
    int PyUnicode##Name##_GetEnd(PyObject* op, Py_ssize_t* end) {       \
        return get_end(op, bytes, end);                                 \
    }                                                                   \
    int PyUnicode##Name##_SetEnd(PyObject* op, Py_ssize_t end) {        \
        fields(op)->end = end;                                          \
        return 0;                                                       \
    }                                                                   \
    PyObject* PyUnicode##Name##_GetReason(PyObject* op) {               \
        return text_field(fields(op)->reason, "reason");                \
    }                                                                   \
    int PyUnicode##Name##_SetReason(PyObject* op, const char* reason) { \
        return set_reason(op, reason);                                  \
    }
OURO_TEXT_ERROR(EncodeError, false)
OURO_TEXT_ERROR(DecodeError, true)
OURO_TEXT_ERROR(TranslateError, false)

PyObject* PyUnicodeEncodeError_GetEncoding(PyObject* op) {
    return text_field(fields(op)->encoding, "encoding");
}

PyObject* PyUnicodeDecodeError_GetEncoding(PyObject* op) {
    return text_field(fields(op)->encoding, "encoding");
}

PyObject* PyUnicodeDecodeError_Create(const char* encoding, const char* object, Py_ssize_t length,
                                      Py_ssize_t start, Py_ssize_t end, const char* reason) {
    return PyObject_CallFunction(PyExc_UnicodeDecodeError, "sy#nns", encoding, object, length,
                                 start, end, reason);
}
