// Who runs while a slice of a collection is worked on, and what the next slice needs.
#pragma once

namespace ouro::collector {

enum class World {
    kStopped,  // only the calling thread
    kRunning,  // mutators, too; what they free keeps its contents (mutator::Traversal)
};

// What a slice of a collection needs from its driver.
enum class Needs {
    kStop,        // the world stopped
    kConcurrent,  // the world stopped or running; if running, the calling thread is the traversing one
    kNoHeapAccess,  // the world stopped or running: the slice reads nothing that mutators can reach
    kUserCode,  // the world running and the calling thread attached: finalizers and the like run
    kNothing,   // it is over
};

// What a piece of work that is cut up needs next.
enum class Next {
    kMore,  // another slice of the same kind
    kStop,  // a slice with the world stopped
    kDone,
};

}  // namespace ouro::collector
