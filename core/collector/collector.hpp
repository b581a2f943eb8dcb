// A collection: the pipeline of README.md, from request to end.
#pragma once

#include <array>
#include <cstddef>

#include "core/collector/policy.hpp"
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
// contract of Ouro_CollectGeneration and, with kFull, of PyGC_Collect; `though_disabled`: also where automatic
// collection is disabled, as Python's gc.collect.
Py_ssize_t collect(event::Scope scope, bool though_disabled = false);

// Returns the state before.
bool set_enabled(bool enabled);
bool is_enabled();

// As Python's gc.get_count: containers allocated since the last collection, less those freed; young
// collections since the last of the middle; those since the last full one.
std::array<size_t, 3> counts();
Policy::Thresholds thresholds();
void set_thresholds(const Policy::Thresholds& thresholds);

// Ends a collection in flight and does some work before another begins; the counts begin anew. From inside a
// collection the work is done beside that.
void between_collections(void (*work)());

}  // namespace ouro::collector
