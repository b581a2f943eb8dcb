// A collector so plain that it can be believed by reading: trial deletion over hash tables, no side
// metadata, no prefetching, no generations but those it is told. The oracle of the tests.
#pragma once

#include <span>
#include <unordered_set>

#include "core/include/Python.h"

namespace ouro::verify {

// Which of `objects` (tracked containers: all of them, or those of a scope) are garbage as far as
// their own counts and references tell: not reachable from any that something outside the set refers
// to.
std::unordered_set<PyObject*> reference_garbage(std::span<PyObject* const> objects);

}  // namespace ouro::verify
