// Objects with tp_del, the finalizer of old that the collector may not call: nothing says in which
// order. They and what they reach are kept, and counted as uncollectable.
#pragma once

#include "core/collector/candidates.hpp"

namespace ouro::collector {

bool has_legacy_finalizer(PyObject* op);

// Moves from a condemned set to `kept` the objects with tp_del and what they reach, and takes a
// reference to each of the former, which are listed in `legacy`. In the pause. Throws std::bad_alloc
// with all unchanged.
void keep_legacy(Candidates& condemned, Candidates& kept, Candidates& legacy);

// Puts the legacy objects on the list of garbage and drops the references to them. World running.
void report_legacy(const Candidates& legacy);

// Drops the list of garbage: the runtime ends.
void drop_garbage_list();

}  // namespace ouro::collector
