// Random testing: sequences of calls of the module's functions, and of methods, attributes and items of its instances,
// each in a child process, judged by run_judged. Feedback: a sequence in which a call had a result that it had not yet
// after the call before it is kept, and grown. One that breaks a rule is shrunk and told as lines of a script and of C.
#pragma once

#include <cstdint>

#include "core/include/ouroboros.h"
#include "core/verify/contract/instances.hpp"

namespace ouro::contract {

// `options`: the seed; how many sequences, and as many again for each type; seconds, of one sequence at most.
void check_random_calls(PyObject* module, const std::vector<Recipe>& recipes,
                        const OuroCheckOptions& options);

}  // namespace ouro::contract
