// A collector so plain that it can be believed by reading: trial deletion over hash tables, no side
// metadata, no prefetching, no generations but those it is told. The oracle of the tests.
#pragma once

#include <span>
#include <unordered_set>

#include "core/include/Python.h"

namespace ouro::verify {

// Which of `objects` (tracked containers: all of them, or those of a scope) are garbage as far as
// their own counts and references tell: not reachable from any that something outside the set refers
// to. The caller has a reference of its own to each of `held`, which does not count.
std::unordered_set<PyObject*> reference_garbage(std::span<PyObject* const> objects,
                                                std::span<PyObject* const> held = {});

}  // namespace ouro::verify
