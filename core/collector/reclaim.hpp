// Reclaiming the condemned, world running: tp_clear breaks the cycles, then the collector's own
// references are dropped and the objects die of their counts, as all others do.
#pragma once

#include <span>

#include "core/collector/candidates.hpp"
#include "core/collector/deadline.hpp"

namespace ouro::collector {

// Calls tp_clear of each. None is deallocated meanwhile, because all are pinned. From `next` on, which advances, until
// the deadline. True at the end.
bool clear(std::span<PyObject* const> condemned, size_t& next, Deadline& deadline);
// Instead of clear, with kDebugSaveAll: puts each on the list of garbage.
bool save(const Candidates& condemned, size_t& next, Deadline& deadline);

// Clears the condemned mark of each and drops the collector's reference. Returns how many were deallocated.
// An object that something still refers to lives on and stays tracked. From `next` on, which advances,
// until the deadline.
size_t release(std::span<PyObject* const> objects, size_t& next, Deadline& deadline);

}  // namespace ouro::collector
