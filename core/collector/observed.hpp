// What a program is told of its collections: callbacks before and after each, statistics, and lines on
// stderr. Python's gc.callbacks, gc.get_stats and gc.set_debug.
//
// Callbacks run with the world running: the first before a collection stops anybody, the second when all that
// it found has been reclaimed. A collection on the calling thread tells from there. One that goes on concurrently
// with the program tells of its beginning on the thread whose allocation began it, and of its end where it ends: on
// the collector's thread, attached, or in the slice that was the last. One that is given up, because another
// was asked for or the collector was disabled, has found nothing. Young collections that are left out are none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/event/cycle.hpp"
#include "core/include/Python.h"

namespace ouro::collector {

// Bits of gc.set_debug.
enum Debug : int {
    kDebugStats = 1,
    kDebugCollectable = 2,
    kDebugUncollectable = 4,
    kDebugSaveAll = 32,
};
int debug_flags();
void set_debug_flags(int flags);

// What came of a collection.
struct Outcome {
    event::Scope scope;
    size_t collected = 0;
    size_t uncollectable = 0;
    int64_t start_ns = 0;
};

// Of one generation, since the runtime started.
struct Statistics {
    size_t collections, collected, uncollectable;
};
constexpr size_t kGenerations = 3;
std::array<Statistics, kGenerations> statistics();
// Counts a collection that was not given up. Any thread.
void note_outcome(const Outcome& outcome);

// The list of callbacks: borrowed, lives as long as the runtime; nullptr with MemoryError.
PyObject* callbacks();

// Whether anything is to be told. Any thread.
bool is_observed();
// Calls the callbacks with "start" or "stop" and prints what the debug flags ask for. The caller is attached,
// with no exception set; what is raised goes to the unraisable hook.
void tell_start(event::Scope scope);
void tell_stop(const Outcome& outcome);
// "gc: collectable <list 0x...>", for each of them.
void tell_objects(const char* what, PyObject* const* objects, size_t count);

// A runtime begins: nothing was collected, nothing is asked for.
void start_observing();
// Nobody is told of the collections to come, and they save nothing. Then the list of callbacks goes, when no
// other thread collects.
void forget_callbacks();
void stop_observing();

}  // namespace ouro::collector
