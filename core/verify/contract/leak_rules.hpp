// References that a module takes and never gives back, and those that it gives back and never took: by difference, over
// repetitions (counts.*).
#pragma once

#include "core/verify/contract/instances.hpp"

namespace ouro::contract {

void check_leaks(PyObject* module, const Recipe& recipe, unsigned seconds);

}  // namespace ouro::contract
