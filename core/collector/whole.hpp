// Collections that the calling thread makes from beginning to end: those of young objects, those that are requested,
// and all of an engine whose driver is the caller.
//
// The thread may vanish in the middle of one: at the end of the runtime, or because it is the parent's in the child of
// a fork. Then another thread finishes the collection, which is safe at any call of user code (Collection::run_code).
#pragma once

#include <optional>

#include "core/collector/collection.hpp"
#include "core/collector/schedule.hpp"

namespace ouro::collector {

// The caller of every function is the collecting thread (collecting.hpp).
class Whole {
public:
    // `engine` is that of the row, or null if nothing is ever collected. All arguments outlive it.
    Whole(Schedule& schedule, const option::Engine& row, Engine* engine)
        : schedule_(schedule), row_(row), engine_(engine) {}

    // Returns how many objects it found. Pre: no unfinished collection is left.
    size_t collect(Scope scope, OuroTrigger trigger);
    // The same, after observers have been told.
    size_t collect_as_told(Scope scope, OuroTrigger trigger);
    // Makes the young collection that is due, unless the schedule skips it.
    void collect_young();
    // Finishes one whose thread has vanished.
    void finish_left_behind();

private:
    void begin(Scope scope, OuroTrigger trigger, Promotion promotion);
    // Returns how many threads ran when it began.
    size_t drive_to_end();
    // Returns how many objects it found, after reporting them.
    size_t finish();

    Schedule& schedule_;
    const option::Engine& row_;
    Engine* const engine_;
    Collection::Resources resources_;
    std::optional<Collection> collection_;
};

}  // namespace ouro::collector
