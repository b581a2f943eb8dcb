// Codecs and error handlers that a program has registered.
#pragma once

#include "core/include/Python.h"

namespace ouro::text {

// The handler of that name that is here by itself: a new reference; nullptr, without an exception if there is none.
PyObject* own_error_handler(const char* name);

// At the end of the runtime: nothing is registered any more.
void forget_codecs();

}  // namespace ouro::text
