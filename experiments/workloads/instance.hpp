// Instances with slots: what a Python class with __slots__ makes.
#pragma once

#include <string>

#include "Python.h"

namespace ouro::workloads {

// A type whose instances have a number of reference slots after the header. The result lives as
// long as the process; nullptr with an exception. Calls with the same arguments give the same type.
PyTypeObject* instance_type(size_t slots, const std::string& name = "workload.Instance");

// A new instance with empty slots, tracked. New reference; nullptr with MemoryError.
PyObject* new_instance(PyTypeObject* type);

inline PyObject** slots_of(PyObject* instance) {
    return reinterpret_cast<PyObject**>(instance + 1);
}

// How many instances of these types were deallocated so far, by all threads.
size_t instances_deallocated();

}  // namespace ouro::workloads
