// A collection: the pipeline of README.md, from request to end.
#pragma once

#include <cstddef>

#include "core/event/cycle.hpp"
#include "core/include/Python.h"

namespace ouro::collector {

// Allocations of containers call the automatic trigger from now on.
void start();

// A collection of that scope on the calling thread, a full one if there are no generations. The
// contract of Ouro_CollectGeneration and, with kFull, of PyGC_Collect.
Py_ssize_t collect(event::Scope scope);

// Returns the state before.
bool set_enabled(bool enabled);
bool is_enabled();

}  // namespace ouro::collector
