// How many containers are tracked at this moment.
#pragma once

#include "core/include/ouroboros.h"

namespace ouro::test {

inline size_t tracked_objects() {
    OuroHeapStatistics statistics;
    Ouro_GetHeapStatistics(&statistics);
    return statistics.tracked;
}

}  // namespace ouro::test
