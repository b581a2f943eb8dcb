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
// The end, in three steps. Before the runtime is closed to others (mutator::close): nobody else collects any more, and
// the collector's thread ends, if there is one; what another thread is in the middle of is waited for, but not code
// of the program's that does not come back (patience.hpp). Pre: not is_collecting_here().
void prepare_to_close();
// After it: whatever is left of collections is brought to its end on the calling thread.
void take_over();
// Ends the engine; nothing is collected until the next start.
void stop();

// Around a fork, on the thread that forks, which is attached: before others are stopped for it (core/mutator/fork.hpp),
// where the collector's thread comes to rest; when they are; and after it. In the child a collection that another
// thread was in the middle of is brought to its end when the next one is due.
void prepare_fork();
void before_fork();
void after_fork_in_parent();
void after_fork_in_child();

// Whether the calling thread is inside a collection: runs a finalizer, or the like.
bool is_collecting_here();

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
