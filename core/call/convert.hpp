// Objects and C values, as the units of a format ask for them. The room asks the types here alone.
//
// Those that return bool say with false that an exception is set.
#pragma once

#include <array>
#include <cstring>

#include "core/include/Python.h"

namespace ouro::args {

inline bool to_long(PyObject* op, long* value) {
    *value = PyLong_AsLong(op);
    return *value != -1 || PyErr_Occurred() == nullptr;
}

inline bool to_long_long(PyObject* op, long long* value) {
    long whole;
    const bool ok = to_long(op, &whole);
    *value = whole;
    return ok;
}

inline bool to_ssize(PyObject* op, Py_ssize_t* value) {
    long whole;
    const bool ok = to_long(op, &whole);
    *value = whole;
    return ok;
}

// The low bits of an int.
inline bool to_bits(PyObject* op, unsigned long long* value) {
    long whole;
    const bool ok = to_long(op, &whole);
    *value = static_cast<unsigned long long>(whole);
    return ok;
}

inline bool to_double(PyObject* op, double* value) {
    *value = PyFloat_AsDouble(op);
    return *value != -1.0 || PyErr_Occurred() == nullptr;
}

inline bool to_truth(PyObject* op, int* value) {
    if (op == Py_None) {
        *value = 0;
    } else if (PyLong_Check(op)) {
        *value = PyLong_AsLong(op) != 0;
    } else if (PyFloat_Check(op)) {
        *value = PyFloat_AsDouble(op) != 0;
    } else if (PyUnicode_Check(op)) {
        Py_ssize_t size = 0;
        PyUnicode_AsUTF8AndSize(op, &size);
        *value = size != 0;
    } else if (PyTuple_Check(op) || PyList_Check(op)) {
        *value = Py_SIZE(op) != 0;
    } else if (PyDict_Check(op)) {
        *value = PyDict_Size(op) != 0;
    } else if (PyAnySet_Check(op)) {
        *value = PySet_Size(op) != 0;
    } else {
        *value = 1;
    }
    return true;
}

// nullptr with an exception. Lives as long as the str.
inline const char* to_utf8(PyObject* str, Py_ssize_t* size) {
    return PyUnicode_AsUTF8AndSize(str, size);
}

// A str's text in an encoding; `text` lives as long as the object that *holder then owns.
inline bool encode(PyObject* str, const char* encoding, PyObject** holder, const char** text,
                   Py_ssize_t* size) {
    if (encoding != nullptr && std::strcmp(encoding, "utf-8") != 0 &&
        std::strcmp(encoding, "utf8") != 0) {
        PyErr_Format(PyExc_LookupError, "unknown encoding: %s", encoding);
        return false;
    }
    *text = to_utf8(str, size);
    if (*text == nullptr) {
        return false;
    }
    *holder = Py_NewRef(str);
    return true;
}

// The number of code points of a str; of a str of one its value too.
inline Py_ssize_t code_points(PyObject* str, int* first) {
    Py_ssize_t size = 0;
    const char* text = to_utf8(str, &size);
    Py_ssize_t count = 0;
    int value = 0;
    for (Py_ssize_t i = 0; i < size; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte & 0xC0) == 0x80) {
            value = value << 6 | (byte & 0x3F);
            continue;
        }
        if (++count > 1) {
            continue;
        }
        value = byte < 0x80 ? byte : byte & (byte < 0xE0 ? 0x1F : byte < 0xF0 ? 0x0F : 0x07);
    }
    *first = value;
    return count;
}

// What a nested format goes through. A new reference to an item; nullptr with an exception.
inline bool is_sequence(PyObject* op) {
    return PyTuple_Check(op) || PyList_Check(op);
}
inline Py_ssize_t sequence_size(PyObject* op) {
    return PyTuple_Check(op) ? PyTuple_Size(op) : PyList_Size(op);
}
inline PyObject* sequence_item(PyObject* op, Py_ssize_t i) {
    return PyTuple_Check(op) ? Py_XNewRef(PyTuple_GetItem(op, i)) : PyList_GetItemRef(op, i);
}

// New references, or nullptr with an exception.
inline PyObject* from_long_long(long long value) {
    return PyLong_FromLong(static_cast<long>(value));
}
inline PyObject* from_unsigned(unsigned long long value) {
    if (value > static_cast<unsigned long long>(PY_SSIZE_T_MAX)) {
        PyErr_SetString(PyExc_OverflowError, "Python int too large to convert to C long");
        return nullptr;
    }
    return PyLong_FromLong(static_cast<long>(value));
}
inline PyObject* from_code_point(int value) {
    if (value < 0 || value > 0x10FFFF) {
        PyErr_SetString(PyExc_ValueError, "chr() arg not in range(0x110000)");
        return nullptr;
    }
    const auto code = static_cast<unsigned>(value);
    const auto lead = [](unsigned bits, unsigned mark) { return static_cast<char>(bits | mark); };
    const auto next = [code](unsigned shift) {
        return static_cast<char>((code >> shift & 0x3F) | 0x80);
    };
    std::array<char, 4> text;
    size_t size;
    if (code < 0x80) {
        text[0] = static_cast<char>(code);
        size = 1;
    } else if (code < 0x800) {
        text = {lead(code >> 6, 0xC0), next(0)};
        size = 2;
    } else if (code < 0x10000) {
        text = {lead(code >> 12, 0xE0), next(6), next(0)};
        size = 3;
    } else {
        text = {lead(code >> 18, 0xF0), next(12), next(6), next(0)};
        size = 4;
    }
    return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(size));
}

}  // namespace ouro::args
