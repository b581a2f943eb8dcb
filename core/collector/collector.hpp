// A collection: the pipeline of README.md, from request to end.
#pragma once

#include <cstddef>

#include "core/include/Python.h"

namespace ouro::collector {

// Makes the engine of the settings. Allocations of containers call the automatic trigger from now on.
// Throws std::bad_alloc.
void start();
// Ends the engine and its threads; nothing is collected until the next start.
void stop();

// A full collection on the calling thread; the contract of PyGC_Collect.
Py_ssize_t collect();

// Returns the state before.
bool set_enabled(bool enabled);
bool is_enabled();

}  // namespace ouro::collector
