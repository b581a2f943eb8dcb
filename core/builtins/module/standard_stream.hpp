// sys.stdout and sys.stderr as they are at first: the C library's, as objects.
#pragma once

#include <cstdio>

#include "core/include/Python.h"

namespace ouro::module {

extern PyTypeObject standard_stream_type;

// A stream for `file`, called `name`, that writes UTF-8 and what cannot be encoded as `errors` says. It does not
// own the file. New reference; nullptr with MemoryError.
PyObject* new_standard_stream(FILE* file, const char* name, const char* errors);

}  // namespace ouro::module
