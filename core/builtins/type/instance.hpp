// Instances of classes: of types whose instances hold what their class says, not what a C struct does.
#pragma once

#include "core/include/Python.h"

namespace ouro::type {

// The handlers of a class. Each does what is the class's own, its slots, dictionary and weak references, and leaves
// the rest to the nearest base with another handler.
void instance_dealloc(PyObject* op);
int instance_traverse(PyObject* op, visitproc visit, void* arg);
int instance_clear(PyObject* op);

}  // namespace ouro::type
