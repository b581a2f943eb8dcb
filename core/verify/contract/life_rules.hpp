// What the end of an instance leaves behind: its death by counts, and as part of a cycle (clear.*, dealloc.*).
#pragma once

#include "core/verify/contract/instances.hpp"

namespace ouro::contract {

void check_end(PyObject* module, const Recipe& recipe, unsigned seconds);

}  // namespace ouro::contract
