// bytes of other objects.
#include <cstdio>
#include <cstring>

#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/container/iterate.hpp"
#include "core/builtins/container/memoryview.hpp"
#include "core/builtins/text/bytes.hpp"
#include "core/builtins/text/text_buffer.hpp"
#include "core/builtins/type/special.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using namespace ouro::type::literals;
using text::TextBuffer;

namespace {

PyObject* zeros(PyObject* count) {
    const Py_ssize_t size = PyNumber_AsSsize_t(count, PyExc_OverflowError);
    if (size < 0) {
        if (PyErr_Occurred() == nullptr) {
            PyErr_SetString(PyExc_ValueError, "negative count");
        }
        return nullptr;
    }
    PyObject* op = PyBytes_FromStringAndSize(nullptr, size);
    if (op != nullptr) {
        std::memset(PyBytes_AS_STRING(op), 0, static_cast<size_t>(size));
    }
    return op;
}

// What bytes(source, encoding, errors) gives; source is nullptr where it is missing.
PyObject* make(PyObject* source, const char* encoding, const char* errors) {
    const bool is_str = source != nullptr && PyUnicode_Check(source);
    if (!is_str && (encoding != nullptr || errors != nullptr)) {
        PyErr_SetString(PyExc_TypeError, encoding != nullptr ? "encoding without a string argument"
                                                             : "errors without a string argument");
        return nullptr;
    }
    if (source == nullptr) {
        return PyBytes_FromStringAndSize(nullptr, 0);
    }
    if (is_str) {
        if (encoding == nullptr) {
            PyErr_SetString(PyExc_TypeError, "string argument without an encoding");
            return nullptr;
        }
        return PyUnicode_AsEncodedString(source, encoding, errors);
    }
    if (PyIndex_Check(source) != 0) {
        const type::SpecialMethod method(source, "__bytes__"_name);
        if (method.failed() || method.missing()) {
            return method.failed() ? nullptr : zeros(source);
        }
    }
    return PyObject_Bytes(source);
}

// An object of a type derived from bytes with the content of `made`, which is stolen.
PyObject* as_subtype(PyTypeObject* type, PyObject* made) {
    PyObject* op = type->tp_alloc(type, Py_SIZE(made));
    if (op != nullptr) {
        text::bytes(op)->ob_shash = -1;
        std::memcpy(PyBytes_AS_STRING(op), PyBytes_AS_STRING(made),
                    static_cast<size_t>(Py_SIZE(made)) + 1);
    }
    Py_DECREF(made);
    return op;
}

}  // namespace

bool text::byte_of(PyObject* op, const char* error, char* byte) {
    const long value = PyLong_AsLong(op);
    if (value == -1 && PyErr_Occurred() != nullptr &&
        PyErr_ExceptionMatches(PyExc_OverflowError) == 0) {
        return false;
    }
    if (value < 0 || value > 255) {
        PyErr_SetString(PyExc_ValueError, error);
        return false;
    }
    *byte = static_cast<char>(value);
    return true;
}

PyObject* text::bytes_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    PyObject* given[3] = {};
    const char* encoding;
    const char* errors;
    if (!call::take_arguments("bytes", {"source", "encoding", "errors"}, args, kwargs, given) ||
        !call::take_text("bytes", "encoding", given[1], &encoding) ||
        !call::take_text("bytes", "errors", given[2], &errors)) {
        return nullptr;
    }
    PyObject* made = make(given[0], encoding, errors);
    return made == nullptr || type == &PyBytes_Type ? made : as_subtype(type, made);
}

PyObject* PyBytes_FromObject(PyObject* op) {
    if (op == nullptr) {
        PyErr_BadInternalCall();
        return nullptr;
    }
    if (PyBytes_CheckExact(op)) {
        return Py_NewRef(op);
    }
    if (PyBytes_Check(op)) {
        return PyBytes_FromStringAndSize(PyBytes_AS_STRING(op), Py_SIZE(op));
    }
    if (PyObject_CheckBuffer(op) != 0) {
        const object::Own view(PyMemoryView_FromObject(op));
        return view ? container::bytes_in_order(view.get(), 'C') : nullptr;
    }
    char message[256];
    std::snprintf(message, sizeof message, "cannot convert '%.200s' object to bytes",
                  Py_TYPE(op)->tp_name);
    if (PyUnicode_Check(op)) {
        PyErr_SetString(PyExc_TypeError, message);
        return nullptr;
    }
    PyObject* items = container::items_of_iterable(op, message);
    if (items == nullptr) {
        return nullptr;
    }
    TextBuffer out;
    bool good = true;
    for (Py_ssize_t i = 0; i < container::count_of(items) && good; ++i) {
        char byte;
        good = text::byte_of(container::item_of(items, i), "bytes must be in range(0, 256)", &byte);
        if (good) {
            out.append(byte);
        }
    }
    Py_DECREF(items);
    return good ? out.to_bytes() : nullptr;
}
