// Weak references to condemned objects are cleared in the pause that condemned these, before any code can run that
// could upgrade one (inv.exact.weak-in-pause).
#pragma once

#include <span>

#include "core/collector/candidates.hpp"
#include "core/collector/deadline.hpp"

namespace ouro::collector {

// Clears every weak reference to the given condemned objects, and every weak reference
// among these. Those with a callback that are not condemned are listed in `called`, with a reference
// to each. In the pause. Throws std::bad_alloc with all unchanged.
void kill_weak_references(std::span<PyObject* const> condemned, Candidates& called);

// Whether it would change anything: one is a weak reference, or has one.
bool has_weak_references(std::span<PyObject* const> objects);

// Removes those that have been condemned since, and drops the references to them (inv.exact.quiet-callback).
void drop_condemned_callbacks(Candidates& called);

// Calls the callbacks and drops the references; from `next` on, which advances, until the deadline. True at the end.
// World running.
bool call_weak_callbacks(const Candidates& called, size_t& next, Deadline& deadline);

// Drops the references without calling; the list is empty then. World running.
void drop_weak_callbacks(Candidates& called);

}  // namespace ouro::collector
