// The module contextvars, and what it has beside the types.
#pragma once

#include "core/include/Python.h"

namespace ouro::context {

// Token.MISSING: what a token's old value is where the variable was not set. Borrowed, immortal.
PyObject* missing();
extern PyTypeObject MissingType;

// As PyInit_contextvars: a borrowed definition.
PyObject* init_contextvars();

}  // namespace ouro::context
