// The plug-in point of the pipeline: a mark engine finds candidates for garbage in all the heap. Engines
// differ in when the world runs and in nothing else; what follows them is common. (Collections of young
// objects need no engine: engines/young_pass.hpp.)
#pragma once

#include <memory>

#include "core/collector/candidates.hpp"
#include "core/collector/deadline.hpp"
#include "core/collector/world.hpp"
#include "core/event/cycle.hpp"
#include "core/option/settings.hpp"

namespace ouro::collector {

using event::Cycle;
using event::Scope;

class Engine {
public:
    virtual ~Engine() = default;

    // Whether the next slice looks at objects that mutators use.
    virtual bool reads_heap() const = 0;
    // Begins a full collection, in a stop, when what waited in merge queues has been merged. An exact one (of the
    // table of engines) does all, with the candidates in address order, and leaves no white object behind but these. Throws
    // std::bad_alloc with the heap unchanged, as the rest does.
    virtual void begin(Cycle cycle, Candidates& candidates) = 0;
    // One slice of what is left, until kDone. In a slice of a running world the calling thread is the
    // traversing one (mutator::Traversal).
    virtual Next step(Deadline& deadline, World world, Candidates& candidates) = 0;
    // What the next slice belongs to.
    virtual OuroPhase phase() const = 0;
    // Ends it, done or not: nothing of it is left in the side tables but marks. World running or not.
    virtual void end() = 0;
    // In the child of a fork of the program's: what it has of other threads and processes is the parent's.
    virtual void after_fork_in_child() {}
    // Tracked containers seen since begin.
    virtual size_t objects() const = 0;
};

// That of the settings; null: reference counting alone. Throws std::bad_alloc.
std::unique_ptr<Engine> make_engine(const option::Settings& settings);

}  // namespace ouro::collector
