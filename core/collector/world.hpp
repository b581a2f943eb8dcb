// Who runs while a slice of a collection is worked on, and what the next slice needs.
#pragma once

namespace ouro::collector {

enum class World {
    kStopped,  // nobody but the calling thread
    kRunning,  // mutators, and nothing that is read is freed (mutator::Traversal)
};

enum class Next {
    kMore,  // another slice of the same kind
    kStop,  // a slice with the world stopped
    kDone,
};

}  // namespace ouro::collector
