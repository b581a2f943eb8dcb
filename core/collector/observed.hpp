// What a program is told of its collections: callbacks before and after each, statistics, and lines on
// stderr. Python's gc.callbacks, gc.get_stats and gc.set_debug.
//
// Callbacks run with the world running: the first before a collection stops any thread, the second when all that
// it found has been reclaimed. A collection on the calling thread calls both there. One that is interleaved with the
// program calls the first on the thread whose allocation began it, and the second where it ends: on the collector
// thread, attached, or in the last slice. A collection that is abandoned, because another was requested or the
// collector was disabled, has found nothing. Skipped young collections are not reported.
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
// Counts a collection that was not abandoned. Any thread.
void note_outcome(const Outcome& outcome);

// The list of callbacks: borrowed, lives as long as the runtime; nullptr with MemoryError.
PyObject* callbacks();

// Whether a program observes collections. Any thread.
bool is_observed();
// Calls the callbacks with "start" or "stop" and prints what the debug flags ask for. The caller is attached,
// with no exception set; what is raised goes to the unraisable hook. Who looked whether a collection is due no longer
// only looks (collecting.hpp).
void tell_start(event::Scope scope);
void tell_stop(const Outcome& outcome);
// "gc: collectable <list 0x...>", for each of them.
void tell_objects(const char* what, PyObject* const* objects, size_t count);

// A runtime begins: statistics and debug flags are reset.
void start_observing();
// The end, in two steps: later collections call nothing and save nothing; then, when no other thread collects, the list
// of callbacks is dropped.
void forget_callbacks();
void stop_observing();

}  // namespace ouro::collector
