// What tp_clear leaves of an instance, and how fields are set anew (clear.*, fields.*).
#pragma once

#include "core/verify/contract/instances.hpp"

namespace ouro::contract {

void check_clear(PyObject* module, const Recipe& recipe, unsigned seconds);

}  // namespace ouro::contract
