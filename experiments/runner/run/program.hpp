// A real Python program under load (experiments/peers/cpython/programs): what interpreters alone run.
#pragma once

#include "experiments/runner/run/catalogue.hpp"

namespace ouro::runner {

// It is described here and not registered, as other workloads are: `ouro bench` has no Python to run it, and the
// programs are files of this build, which are looked up when they are asked for.
Workload python_program();

}  // namespace ouro::runner
