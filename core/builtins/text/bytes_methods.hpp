// What the files of bytes' methods share.
#pragma once

#include <string_view>

#include "core/include/Python.h"

namespace ouro::text {

// New bytes, or nullptr with MemoryError.
PyObject* new_bytes(std::string_view content);
// Of a part of op's bytes; of all of them op itself.
PyObject* part_of_bytes(PyObject* op, std::string_view part);

// The bytes of an argument, which are held for as long as this lives: of bytes, or of any object with a buffer.
class BytesArgument {
public:
    BytesArgument() = default;
    ~BytesArgument() { PyBuffer_Release(&view_); }
    BytesArgument(const BytesArgument&) = delete;
    BytesArgument& operator=(const BytesArgument&) = delete;

    // False with TypeError, or what the object raised.
    bool take(PyObject* op);
    std::string_view content() const { return content_; }

private:
    Py_buffer view_{};  // without an object for bytes
    std::string_view content_;
};

// Methods by topic, each a row of a table.
PyObject* bytes_strip(PyObject* op, PyObject* const* args, Py_ssize_t nargs);
PyObject* bytes_lstrip(PyObject* op, PyObject* const* args, Py_ssize_t nargs);
PyObject* bytes_rstrip(PyObject* op, PyObject* const* args, Py_ssize_t nargs);
PyObject* bytes_center(PyObject* op, PyObject* const* args, Py_ssize_t nargs);
PyObject* bytes_ljust(PyObject* op, PyObject* const* args, Py_ssize_t nargs);
PyObject* bytes_rjust(PyObject* op, PyObject* const* args, Py_ssize_t nargs);
PyObject* bytes_zfill(PyObject* op, PyObject* width);
PyObject* bytes_partition(PyObject* op, PyObject* separator);
PyObject* bytes_rpartition(PyObject* op, PyObject* separator);
PyObject* bytes_removeprefix(PyObject* op, PyObject* prefix);
PyObject* bytes_removesuffix(PyObject* op, PyObject* suffix);
PyObject* bytes_split(PyObject* op, PyObject* args, PyObject* kwargs);
PyObject* bytes_rsplit(PyObject* op, PyObject* args, PyObject* kwargs);
PyObject* bytes_splitlines(PyObject* op, PyObject* args, PyObject* kwargs);
PyObject* bytes_hex(PyObject* op, PyObject* args, PyObject* kwargs);
PyObject* bytes_fromhex(PyObject* type, PyObject* text);

extern PyMethodDef bytes_methods[];

}  // namespace ouro::text
