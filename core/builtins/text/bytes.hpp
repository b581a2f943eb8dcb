// What the sources of bytes share.
#pragma once

#include <string_view>

#include "core/include/Python.h"

namespace ouro::text {

inline PyBytesObject* bytes(PyObject* op) {
    return reinterpret_cast<PyBytesObject*>(op);
}

// Borrowed; a zero byte follows them.
inline std::string_view bytes_in(PyObject* op) {
    return {bytes(op)->ob_sval, static_cast<size_t>(Py_SIZE(op))};
}

// The value of a hexadecimal digit; -1 of any other character.
inline int hex_value(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// The byte that an int is. False with TypeError, or ValueError with that message for an int that is
// none.
bool byte_of(PyObject* op, const char* error, char* byte);

// tp_iter.
PyObject* bytes_iterate(PyObject* op);

// tp_new: bytes(source=b"", encoding, errors).
PyObject* bytes_new(PyTypeObject* type, PyObject* args, PyObject* kwargs);

}  // namespace ouro::text
