// Collections that are made on the calling thread from beginning to end: those of young objects, those that are asked
// for, and all of an engine whose driver is the caller.
//
// Its thread may be gone in the middle of one: ended by the end of the runtime, or the parent's in the child of a
// fork. Then another brings it to its end, which is safe at any piece of code (Collection::run_code).
#pragma once

#include <optional>

#include "core/collector/collection.hpp"
#include "core/collector/schedule.hpp"

namespace ouro::collector {

// The caller of all is the collecting thread (collecting.hpp).
class Whole {
public:
    // `engine` is that of the row, and may be null if nothing is ever collected. All outlive it.
    Whole(Schedule& schedule, const option::Engine& row, Engine* engine)
        : schedule_(schedule), row_(row), engine_(engine) {}

    // Returns how many objects it found. Pre: none is left behind.
    size_t collect(Scope scope, OuroTrigger trigger);
    // The young collection that is due, which the schedule may leave out.
    void collect_young();
    // Ends one whose thread is gone.
    void finish_left_behind();

private:
    void begin(Scope scope, OuroTrigger trigger, Promotion promotion);
    // Returns how many threads ran when it began.
    size_t drive_to_end();
    // Returns how many objects it found, of which it tells.
    size_t finish();

    Schedule& schedule_;
    const option::Engine& row_;
    Engine* const engine_;
    Collection::Resources resources_;
    std::optional<Collection> collection_;
};

}  // namespace ouro::collector
