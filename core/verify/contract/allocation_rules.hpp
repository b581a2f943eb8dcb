// Fault injection: the first allocation that a call of the module makes fails, then in another process the second, and so
// on. The call has to end with an exception, or to do without, and to give back what it has made (calls.no-memory,
// calls.no-exception, counts.*, and what is known of the calls that free).
#pragma once

#include "core/verify/contract/instances.hpp"

namespace ouro::contract {

void check_allocations(PyObject* module, const Recipe& recipe, unsigned seconds);

}  // namespace ouro::contract
