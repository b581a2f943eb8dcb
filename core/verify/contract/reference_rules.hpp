// Which references an instance owns, found by experiment, against those that tp_traverse visits (traverse.unowned,
// traverse.forgets, objects.never-tracked).
//
// A new container, the probe (a list, or what is a str and has attributes), is given to an instance: as an attribute,
// an item, an argument. By how much that raised its count is how many references were taken. Then the instance dies,
// which nobody else refers to: by how much its count falls then is how many of these the instance owned. A visitor that
// came to it more often, or less, was wrong.
#pragma once

#include "core/verify/contract/instances.hpp"

namespace ouro::contract {

void check_references(PyObject* module, const Recipe& recipe, unsigned seconds);

}  // namespace ouro::contract
