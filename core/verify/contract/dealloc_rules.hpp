// What tp_dealloc does, seen from inside (dealloc.*): by code that runs in the middle of it, as any program's can, and by
// the call that frees the instance.
#pragma once

#include "core/verify/contract/instances.hpp"

namespace ouro::contract {

void check_dealloc(PyObject* module, const Recipe& recipe, unsigned seconds);

}  // namespace ouro::contract
