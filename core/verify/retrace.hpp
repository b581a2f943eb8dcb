// An independent trace that checks a collection: plain hash tables, no side metadata but the bit
// that says which objects are tracked, no shared code with the engines. Slow: about a microsecond
// an object. A difference is a fatal error that names the first object concerned, and so is too
// little memory to check: what was not checked is not verified.
#pragma once

#include <span>

#include "core/include/Python.h"

namespace ouro::verify {

// In the pause, before anything is condemned: `candidates` is garbage, each listed once, and if the
// collection was a full one, all of the garbage.
void check_candidates(std::span<PyObject* const> candidates, bool all) noexcept;

// After a collection: every reference of a tracked object is to something that is allocated, and no
// object has fewer references counted than there are.
void check_heap() noexcept;

}  // namespace ouro::verify
