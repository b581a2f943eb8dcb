// Objects with tp_del, the finalizer of old that the collector may not call: nothing says in which
// order. They and what they reach are kept, and counted as uncollectable.
#pragma once

#include "core/collector/candidates.hpp"

namespace ouro::collector {

bool has_legacy_finalizer(PyObject* op);
// Whether an object that is kept is to be reported: it has tp_del, or the debug flags ask for all.
bool is_reported(PyObject* op);

// Moves from a condemned set to `kept` the objects with tp_del and what they reach, and takes a
// reference to each that is to be reported, which are listed in `legacy`. In the pause. Throws
// std::bad_alloc with all unchanged.
void keep_legacy(Candidates& condemned, Candidates& kept, Candidates& legacy);

// Puts those with tp_del (with kDebugSaveAll all) on the list of garbage, says so if the debug flags ask for
// that, and drops the references; from `next` on, which moves. World running.
void report_legacy(const Candidates& legacy, size_t& next);

// Puts one object on the list; what goes wrong is unraisable. World running.
void append_to_garbage(PyObject* op);

// Drops the list of garbage: the runtime ends.
void drop_garbage_list();

}  // namespace ouro::collector
