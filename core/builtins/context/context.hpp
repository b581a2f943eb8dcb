// The calling thread's context, for context variables.
#pragma once

#include "core/include/Python.h"
#include "core/object/own.hpp"

namespace ouro::context {

// The calling thread's context, borrowed; made if it has none. nullptr with MemoryError.
PyObject* current();
// The same, or nullptr without an exception if it has none.
PyObject* current_if_any();

// What a variable is set to in a context: 1 with a new reference in *value, 0, or -1 with an exception.
int find(PyObject* context, PyObject* var, PyObject** value);
// Sets it; nullptr: it is not set any more, LookupError if it was not. 0, or -1 with an exception. Pre: the context is the calling thread's.
int store(PyObject* context, PyObject* var, PyObject* value);

// At the end of the runtime: there are no watchers any more.
void forget_watchers();

}  // namespace ouro::context
