// Objects with tp_del, the legacy finalizer, which the collector may not call because no order of calls is known to be
// right. They and what they reach are kept, and counted as uncollectable.
#pragma once

#include "core/collector/candidates.hpp"

namespace ouro::collector {

bool has_legacy_finalizer(PyObject* op);
// Whether an object that is kept is to be reported: it has tp_del, or the debug flags ask for all.
bool is_reported(PyObject* op);

// Moves the objects with tp_del and what they reach from a condemned set to `kept`. Lists those to be reported in
// `legacy`, with a reference to each. In the pause. Throws
// std::bad_alloc with all unchanged.
void keep_legacy(Candidates& condemned, Candidates& kept, Candidates& legacy);

// Puts those with tp_del (all, with kDebugSaveAll) on the list of garbage, prints them if the debug flags ask for
// that, and drops the references; from `next` on, which advances. World running.
void report_legacy(const Candidates& legacy, size_t& next);

// Puts one object on the list; an error is unraisable. World running.
void append_to_garbage(PyObject* op);

// Drops the list of garbage: the runtime ends.
void drop_garbage_list();

}  // namespace ouro::collector
