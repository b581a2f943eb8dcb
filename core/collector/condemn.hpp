// Condemning: from here on the objects are known to be garbage, and stay whole until they are
// reclaimed. Runs in the pause that established it.
#pragma once

#include "core/collector/candidates.hpp"

namespace ouro::collector {

// References of the collector's own to each condemned object, so that no slot is reused.
inline constexpr uint32_t kPins = 1;

// Sets the condemned mark of each and takes a reference to it.
void condemn(const Candidates& garbage);

}  // namespace ouro::collector
