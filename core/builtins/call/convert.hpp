// Objects and C values, as the units of a format ask for them. The room asks the types here alone.
//
// Those that return bool say with false that an exception is set.
#pragma once

#include "core/include/Python.h"

namespace ouro::call {

inline bool to_long(PyObject* op, long* value) {
    *value = PyLong_AsLong(op);
    return *value != -1 || PyErr_Occurred() == nullptr;
}

inline bool to_long_long(PyObject* op, long long* value) {
    *value = PyLong_AsLongLong(op);
    return *value != -1 || PyErr_Occurred() == nullptr;
}

inline bool to_ssize(PyObject* op, Py_ssize_t* value) {
    PyObject* index = PyNumber_Index(op);
    if (index == nullptr) {
        return false;
    }
    *value = PyLong_AsSsize_t(index);
    Py_DECREF(index);
    return *value != -1 || PyErr_Occurred() == nullptr;
}

// The low bits of an int.
inline bool to_bits(PyObject* op, unsigned long long* value) {
    *value = PyLong_AsUnsignedLongLongMask(op);
    return *value != static_cast<unsigned long long>(-1) || PyErr_Occurred() == nullptr;
}

inline bool to_double(PyObject* op, double* value) {
    *value = PyFloat_AsDouble(op);
    return *value != -1.0 || PyErr_Occurred() == nullptr;
}

inline bool to_truth(PyObject* op, int* value) {
    *value = PyObject_IsTrue(op);
    return *value >= 0;
}

// nullptr with an exception. Lives as long as the str.
inline const char* to_utf8(PyObject* str, Py_ssize_t* size) {
    return PyUnicode_AsUTF8AndSize(str, size);
}

// A str's text in an encoding; `text` lives as long as the object that *holder then owns.
inline bool encode(PyObject* str, const char* encoding, PyObject** holder, const char** text,
                   Py_ssize_t* size) {
    *holder = PyUnicode_AsEncodedString(str, encoding == nullptr ? "utf-8" : encoding, nullptr);
    if (*holder == nullptr) {
        return false;
    }
    *text = PyBytes_AS_STRING(*holder);
    *size = PyBytes_GET_SIZE(*holder);
    return true;
}

// The number of code points of a str; of a str of one its value too.
inline Py_ssize_t code_points(PyObject* str, int* first) {
    const Py_ssize_t count = PyUnicode_GET_LENGTH(str);
    if (count == 1) {
        *first = static_cast<int>(PyUnicode_READ_CHAR(str, 0));
    }
    return count;
}

// What a nested format goes through. A new reference to an item; nullptr with an exception.
inline bool is_sequence(PyObject* op) {
    return PySequence_Check(op) != 0 && !PyBytes_Check(op);
}
inline Py_ssize_t sequence_size(PyObject* op) {
    return PySequence_Size(op);
}
inline PyObject* sequence_item(PyObject* op, Py_ssize_t i) {
    return PySequence_GetItem(op, i);
}

// New references, or nullptr with an exception.
inline PyObject* from_long_long(long long value) {
    return PyLong_FromLongLong(value);
}
inline PyObject* from_unsigned(unsigned long long value) {
    return PyLong_FromUnsignedLongLong(value);
}
inline PyObject* from_code_point(int value) {
    return PyUnicode_FromOrdinal(value);
}

}  // namespace ouro::call
