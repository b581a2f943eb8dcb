// What the protocols share with the types that follow them.
#pragma once

#include "core/include/Python.h"

namespace ouro::protocol {

// Whether one of the items that an iterable gives equals the value: 1, 0, or -1 with an exception.
int contains_by_iteration(PyObject* op, PyObject* value);

}  // namespace ouro::protocol
