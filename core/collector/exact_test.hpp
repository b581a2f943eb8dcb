// The exact test: which of a set of objects, and of what they reach inside the set, is referenced
// from outside it. Trusts nothing but counts and traversals made now, so it is sound for any set
// (README.md, "Why it is sound": inv.exact.nothing-live, inv.exact.nothing-missed). Source:
// CPython's own algorithm, on a subset.
#pragma once

#include "core/collector/candidates.hpp"

namespace ouro::collector {

// Pre: the world is stopped; every object in `set` has the condemned mark and is held by `pins`
// references of the collector's own; all counts in the side table are zero.
// Moves the objects that are live to `survivors` and takes their condemned mark away; what stays in
// `set` is garbage. Both keep address order. An object that is no longer tracked, or immortal, is
// live. Throws std::bad_alloc with both unchanged.
void exact_test(Candidates& set, uint32_t pins, Candidates& survivors);

}  // namespace ouro::collector
