#include "core/object/message.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace ouro::object {
namespace {

// What a str looks like in source code.
PyObject* quoted(PyObject* op) {
    Py_ssize_t size;
    const char* bytes = PyUnicode_AsUTF8AndSize(op, &size);
    if (bytes == nullptr) {
        return nullptr;
    }
    const std::string_view all(bytes, static_cast<size_t>(size));
    const bool has_single = all.find('\'') != all.npos;
    const char quote = has_single && all.find('"') == all.npos ? '"' : '\'';
    Message text;
    text.add({&quote, 1});
    for (const char& c : all) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '\n') {
            text.add("\\n");
        } else if (c == '\r') {
            text.add("\\r");
        } else if (c == '\t') {
            text.add("\\t");
        } else if (code < 0x20 || code == 0x7f) {
            char escape[5];
            std::snprintf(escape, sizeof escape, "\\x%02x", code);
            text.add(escape);
        } else {
            if (c == quote || c == '\\') {
                text.add("\\");
            }
            text.add({&c, 1});
        }
    }
    return text.add({&quote, 1}).finish();
}

// What a type without a slot for it shows.
PyObject* plain_repr(PyObject* op) {
    if (PyUnicode_Check(op)) {
        return quoted(op);
    }
    Message text;
    if (op == Py_None) {
        text.add("None");
    } else if (op == Py_True || op == Py_False) {
        text.add(op == Py_True ? "True" : "False");
    } else if (PyLong_Check(op)) {
        text.add_number(PyLong_AsLong(op));
    } else if (PyTuple_Check(op)) {
        text.add_items(op);
    } else if (PyType_Check(op)) {
        text.add("<class '").add(reinterpret_cast<PyTypeObject*>(op)->tp_name).add("'>");
    } else {
        char address[24];
        std::snprintf(address, sizeof address, "%p", static_cast<void*>(op));
        text.add("<").add(Py_TYPE(op)->tp_name).add(" object at ").add(address).add(">");
    }
    return text.finish();
}

// A result that is no str is a mistake of the type's.
PyObject* checked(PyObject* text, const char* slot) {
    if (text != nullptr && !PyUnicode_Check(text)) {
        PyErr_Format(PyExc_TypeError, "%s returned non-string (type %.200s)", slot,
                     Py_TYPE(text)->tp_name);
        Py_CLEAR(text);
    }
    return text;
}

}  // namespace

PyObject* repr_of(PyObject* op) {
    if (Py_EnterRecursiveCall(" while getting the repr of an object") != 0) {
        return nullptr;
    }
    const reprfunc repr = Py_TYPE(op)->tp_repr;
    PyObject* text = checked(repr == nullptr ? plain_repr(op) : repr(op), "__repr__");
    Py_LeaveRecursiveCall();
    return text;
}

PyObject* str_of(PyObject* op) {
    if (Py_IS_TYPE(op, &PyUnicode_Type)) {
        return Py_NewRef(op);
    }
    const reprfunc str = Py_TYPE(op)->tp_str;
    if (str == nullptr && !PyUnicode_Check(op)) {
        return repr_of(op);
    }
    if (str == nullptr) {
        Py_ssize_t size;
        const char* bytes = PyUnicode_AsUTF8AndSize(op, &size);
        return bytes == nullptr ? nullptr : PyUnicode_FromStringAndSize(bytes, size);
    }
    if (Py_EnterRecursiveCall(" while getting the str of an object") != 0) {
        return nullptr;
    }
    PyObject* text = checked(str(op), "__str__");
    Py_LeaveRecursiveCall();
    return text;
}

PyObject* formatted(const char* format, std::va_list arguments) {
    std::va_list again;
    va_copy(again, arguments);
    const int size = std::vsnprintf(nullptr, 0, format, again);
    va_end(again);
    if (size < 0) {
        PyErr_SetString(PyExc_SystemError, "invalid format string");
        return nullptr;
    }
    auto* buffer = static_cast<char*>(PyMem_Malloc(static_cast<size_t>(size) + 1));
    if (buffer == nullptr) {
        return PyErr_NoMemory();
    }
    std::vsnprintf(buffer, static_cast<size_t>(size) + 1, format, arguments);
    PyObject* text = PyUnicode_FromStringAndSize(buffer, size);
    PyMem_Free(buffer);
    return text;
}

Message& Message::add(std::string_view piece) {
    if (failed_ || piece.empty()) {
        return *this;
    }
    if (piece.size() > capacity_ - size_) {
        const size_t larger = std::max({size_t{64}, capacity_ * 2, size_ + piece.size()});
        auto* moved = static_cast<char*>(PyMem_Realloc(buffer_, larger));
        if (moved == nullptr) {
            failed_ = true;
            PyErr_NoMemory();
            return *this;
        }
        buffer_ = moved;
        capacity_ = larger;
    }
    std::memcpy(buffer_ + size_, piece.data(), piece.size());
    size_ += piece.size();
    return *this;
}

Message& Message::add_number(Py_ssize_t number) {
    char digits[24];
    std::snprintf(digits, sizeof digits, "%zd", number);
    return add(digits);
}

Message& Message::add_items(PyObject* tuple) {
    add("(");
    const Py_ssize_t size = PyTuple_GET_SIZE(tuple);
    for (Py_ssize_t i = 0; i < size; ++i) {
        add(i == 0 ? "" : ", ").add_repr(PyTuple_GET_ITEM(tuple, i));
    }
    return add(size == 1 ? ",)" : ")");
}

Message& Message::take(PyObject* text) {
    Py_ssize_t size;
    const char* bytes = text == nullptr ? nullptr : PyUnicode_AsUTF8AndSize(text, &size);
    if (bytes == nullptr) {
        failed_ = true;
    } else {
        add({bytes, static_cast<size_t>(size)});
    }
    Py_XDECREF(text);
    return *this;
}

PyObject* Message::finish() {
    return failed_ ? nullptr
                   : PyUnicode_FromStringAndSize(size_ == 0 ? "" : buffer_,
                                                 static_cast<Py_ssize_t>(size_));
}

}  // namespace ouro::object
