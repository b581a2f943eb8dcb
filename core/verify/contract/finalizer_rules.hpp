// What a tp_finalize of the module does, and who calls it (finalize.*).
#pragma once

#include "core/verify/contract/instances.hpp"

namespace ouro::contract {

void check_finalizer(PyObject* module, const Recipe& recipe, unsigned seconds);

}  // namespace ouro::contract
