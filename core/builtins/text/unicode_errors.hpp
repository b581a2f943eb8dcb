// UnicodeDecodeError and UnicodeEncodeError: the one place where they are raised.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/include/Python.h"

namespace ouro::text {

// bytes[start, end) are not what `encoding` allows.
void set_decode_error(const char* encoding, std::string_view bytes, size_t start, size_t end,
                      const char* reason);
// Code points [start, end) of a str have no place in `encoding`.
void set_encode_error(const char* encoding, PyObject* op, size_t start, size_t end,
                      const char* reason);

}  // namespace ouro::text
