// A collection: the pipeline of README.md, from request to end.
#pragma once

#include <cstddef>

#include "core/event/cycle.hpp"
#include "core/include/Python.h"

namespace ouro::collector {

// Makes the engine of the settings. Allocations of containers call the automatic trigger from now on.
// Throws std::bad_alloc.
void start();
// Brings a collection that is in flight to its end, and ends the collector's thread, if it has one. World
// running; before stop.
void finish();
// Ends the engine and its threads; nothing is collected until the next start.
void stop();

// A collection of that scope on the calling thread, a full one if there are no generations. The
// contract of Ouro_CollectGeneration and, with kFull, of PyGC_Collect.
Py_ssize_t collect(event::Scope scope);

// Returns the state before.
bool set_enabled(bool enabled);
bool is_enabled();

}  // namespace ouro::collector
