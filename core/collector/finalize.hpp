// Finalizers of the condemned. The world runs: they are arbitrary code and may make objects
// reachable again.
#pragma once

#include "core/collector/candidates.hpp"
#include "core/collector/deadline.hpp"

namespace ouro::collector {

// Calls tp_finalize of each object that has one and was not finalized before. From
// `next` on, which moves, until the deadline. Returns how many ran; if any, the condemned must be tested
// again.
size_t finalize(const Candidates& condemned, size_t& next, Deadline& deadline);

}  // namespace ouro::collector
