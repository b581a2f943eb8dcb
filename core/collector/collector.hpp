// A collection: the pipeline of README.md, from request to end.
#pragma once

#include <cstddef>

#include "core/include/Python.h"

namespace ouro::collector {

// Allocations of containers call the automatic trigger from now on.
void start();

// A full collection on the calling thread; the contract of PyGC_Collect.
Py_ssize_t collect();

// Returns the state before.
bool set_enabled(bool enabled);
bool is_enabled();

}  // namespace ouro::collector
