// The methods of int and float, and an int as bytes.
#pragma once

#include <string_view>

#include "core/include/Python.h"

namespace ouro::number {

extern PyMethodDef long_methods[];
extern PyGetSetDef long_getset[];
extern PyMethodDef float_methods[];
extern PyGetSetDef float_getset[];

// Writes an int as `size` bytes, a negative one in two's complement. False with OverflowError if they are not
// enough, or if it is negative and they are not signed.
bool write_int(PyObject* op, char* to, size_t size, bool little, bool is_signed);

// The int that bytes are. New reference, or nullptr with MemoryError.
PyObject* read_int(std::string_view bytes, bool little, bool is_signed);

}  // namespace ouro::number
