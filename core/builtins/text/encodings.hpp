// The encodings that are here by themselves.
#pragma once

#include "core/include/Python.h"

namespace ouro::text {

// New references, or nullptr with an exception; `errors` is the name of a handler, or nullptr.
struct Encoding {
    const char* name;
    const char* aliases;  // in lower case with underscores, a space between them
    PyObject* (*decode)(const char* bytes, Py_ssize_t size, const char* errors);
    PyObject* (*encode)(PyObject* op, const char* errors);
};

// By any of its names, with dashes, spaces or underscores, in any case; nullptr is UTF-8. nullptr, without an exception,
// if there is none.
const Encoding* find_encoding(const char* name);

// UTF-16 and UTF-32: with a mark, the least byte first, the most.
PyObject* decode_utf16_le(const char* bytes, Py_ssize_t size, const char* errors);
PyObject* decode_utf16_be(const char* bytes, Py_ssize_t size, const char* errors);
PyObject* decode_utf16(const char* bytes, Py_ssize_t size, const char* errors);
PyObject* decode_utf32_le(const char* bytes, Py_ssize_t size, const char* errors);
PyObject* decode_utf32_be(const char* bytes, Py_ssize_t size, const char* errors);
PyObject* decode_utf32(const char* bytes, Py_ssize_t size, const char* errors);
PyObject* encode_utf16_le(PyObject* op, const char* errors);
PyObject* encode_utf16_be(PyObject* op, const char* errors);
PyObject* encode_utf16(PyObject* op, const char* errors);
PyObject* encode_utf32_le(PyObject* op, const char* errors);
PyObject* encode_utf32_be(PyObject* op, const char* errors);
PyObject* encode_utf32(PyObject* op, const char* errors);

PyObject* encode_utf7(PyObject* op, const char* errors);
PyObject* encode_unicode_escape(PyObject* op, const char* errors);
PyObject* encode_raw_unicode_escape(PyObject* op, const char* errors);

}  // namespace ouro::text
