// Who runs while a slice of a collection is worked on, and what the next slice needs.
#pragma once

namespace ouro::collector {

enum class World {
    kStopped,  // nobody but the calling thread
    kRunning,  // mutators, and nothing that is read is freed (mutator::Traversal)
};

// What a slice of a collection needs of whoever drives it.
enum class Needs {
    kStop,          // the world stopped
    kConcurrent,    // whichever; where it runs, the calling thread is the traversing one
    kNoHeapAccess,  // whichever: nothing is looked at that mutators could reach
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
