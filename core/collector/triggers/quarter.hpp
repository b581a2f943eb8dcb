// CPython's rule, with generations and without a global lock (3.13t, 3.15t) alike: a full collection is due when the heap
// has grown by a quarter of what survived the last one.
//
// Why a part of the heap. A full collection looks at all that is alive, `live` containers. If one is made whenever the
// heap has grown by live / 4, each container that stays costs looks at four others, however large the heap becomes; after
// a fixed number of allocations, building a heap of n would cost n^2 looks.
#pragma once

#include "core/collector/triggers/trigger.hpp"

namespace ouro::collector {

class Quarter final : public Trigger {
public:
    size_t room(size_t live) const override { return live / 4; }
};

}  // namespace ouro::collector
