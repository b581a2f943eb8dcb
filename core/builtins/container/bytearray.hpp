// What the sources of bytearray share.
#pragma once

#include <string_view>

#include "core/include/Python.h"

namespace ouro::container {

inline PyByteArrayObject* bytearray(PyObject* op) {
    return reinterpret_cast<PyByteArrayObject*>(op);
}
// The bytes, borrowed until it is resized. Under its lock.
inline std::string_view content_of(PyObject* op) {
    return {PyByteArray_AS_STRING(op), static_cast<size_t>(Py_SIZE(op))};
}

PyObject* new_bytearray(std::string_view content);
// What it has now, as bytes: a new reference, or nullptr with MemoryError.
PyObject* bytes_of(PyObject* op);

// Replaces the bytes from `low` on, `count` of them, by others, which are not its own. 0, or -1 with an exception:
// BufferError while there are views and the size would change. Under its lock.
int replace_bytes(PyObject* op, Py_ssize_t low, Py_ssize_t count, std::string_view by);

// The bytes of an object with a buffer, of an iterable of ints: a new bytes, or nullptr with an exception.
PyObject* bytes_from(PyObject* op);

extern PyMethodDef bytearray_methods[];

}  // namespace ouro::container
