// Reclaiming the condemned, world running: tp_clear breaks the cycles, then the collector's own
// references are dropped and the objects die of their counts, as all others do.
#pragma once

#include "core/collector/candidates.hpp"
#include "core/collector/deadline.hpp"

namespace ouro::collector {

// Calls tp_clear of each. None dies meanwhile, because the collector holds them all.
// From `next` on, which moves, until the deadline. True at the end.
bool clear(const Candidates& condemned, size_t& next, Deadline& deadline);
// Instead of it, where the program wants to see the garbage: puts each on the list of garbage.
bool save(const Candidates& condemned, size_t& next, Deadline& deadline);

// Takes the condemned mark from each and drops the collector's reference. Returns how many died.
// An object that something still refers to lives on and stays tracked. From `next` on, which moves,
// until the deadline.
size_t release(const Candidates& objects, size_t& next, Deadline& deadline);

}  // namespace ouro::collector
