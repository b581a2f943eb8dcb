// An independent trace that checks a collection: plain hash tables, no side metadata but the bit
// that says which objects are tracked, no shared code with the engines. Slow: about a microsecond
// an object. A difference is a fatal error that names the first object concerned, and so is too
// little memory to check: what was not checked is not verified.
#pragma once

#include <span>

#include "core/include/Python.h"

namespace ouro::verify {

// In the pause, of what is or is about to be condemned: `candidates` is garbage, each listed once, and if
// `all`, all of the garbage. The collector has a reference to each of `held`, which it will drop.
void check_candidates(std::span<PyObject* const> candidates, bool all,
                      std::span<PyObject* const> held = {}) noexcept;

// After a collection. `retraces`: every reference of a tracked object is to something that is allocated, and no object has
// fewer references counted than there are. `looks`: rules/heap_rules.hpp.
void check_heap(bool retraces, bool looks) noexcept;

}  // namespace ouro::verify
