// What the init function of a module is called.
#pragma once

#include <string>

#include "core/include/Python.h"

namespace ouro::module {

// PyInit_NAME for a name in ASCII; for any other PyInitU_ and the name in Punycode (RFC 3492), with an underscore
// where that has a hyphen. False with an exception for a str that no name can be.
bool init_function_name(PyObject* name, std::string* function);

}  // namespace ouro::module
