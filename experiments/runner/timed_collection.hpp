// A full collection, timed.
#pragma once

#include <cstdint>

#include "ouroboros.h"

namespace ouro::runner {

// Its wall time, in ns. Throws std::runtime_error if it finds another number of objects, unless there is no
// collector.
int64_t timed_collection(Py_ssize_t expected);

}  // namespace ouro::runner
