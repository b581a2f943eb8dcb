// References that a thread dropped to objects of other threads, where only the owner can tell whether
// they were the last: concurrency/refcount/merge_queue.hpp with objects and mutators put in.
#pragma once

#include <cstdint>

#include "concurrency/refcount/merge_queues.hpp"
#include "core/heap/pages.hpp"
#include "core/include/Python.h"

namespace ouro::object {

// Gives the queues to the room of mutators. Before the first state is made.
void start_merge_queues();

// A decrement was told kQueue. Arbitrary code may run before this returns.
void queue_to_owner(uint32_t owner, PyObject* op);

// In a stop: merges what waits in all queues. What is dead then is appended to `dead`, each with one
// reference, the caller's, to be dropped when the world runs. False, and nothing was done, if there
// is no memory for that.
using Dead = heap::PageVector<PyObject*>;
bool merge_all_queues(Dead& dead);

refcount::QueueUsage queue_usage();

}  // namespace ouro::object
