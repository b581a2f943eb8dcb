// Taking objects, and what they reach, out of a condemned set.
#pragma once

#include "core/collector/candidates.hpp"

namespace ouro::collector {

// Clears op's condemned mark and lists op. Pre: it has the mark, and there is room in the list.
void rescue(PyObject* op, Candidates& rescued);

// Rescues what the rescued reach inside the set, takes all of them out of the set, and sorts them by
// address. Pre: the world is stopped, `rescued` has room for the whole set.
void rescue_reachable(Candidates& set, Candidates& rescued);

}  // namespace ouro::collector
