// The plug-in point of the pipeline: a mark engine finds candidates for garbage in the whole heap. Engines
// differ in how they mark, and in whether the world runs meanwhile; the stages after marking are common.
// (Collections of young objects need no engine: engines/young_pass.hpp.)
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

class SliceWorkers;

class Engine {
public:
    virtual ~Engine() = default;

    // Whether the next slice looks at objects that mutators use.
    virtual bool reads_heap() const = 0;
    // Begins a full collection, in a stop, after the merge queues have been drained. An engine that is exact (in the
    // table of engines) does all its work here, lists the candidates in address order, and leaves no other white
    // object. Throws std::bad_alloc with the heap unchanged, as the rest does.
    virtual void begin(Cycle cycle, Candidates& candidates) = 0;
    // Makes one slice; called until kDone. While the world runs the calling thread is the traversing one
    // (mutator::Traversal).
    virtual Next step(Deadline& deadline, World world, Candidates& candidates) = 0;
    // The phase that the next slice belongs to.
    virtual OuroPhase phase() const = 0;
    // The threads that help with its slices, and with tests of what it names; null: none do.
    virtual SliceWorkers* threads() { return nullptr; }
    // By another attached thread, at any time: takes part in the concurrent slice that is being made, if one is, until
    // the deadline. False if none is.
    virtual bool help(Deadline) { return false; }
    // Ends the collection's marking, done or not, leaving nothing in the side tables but marks. World running or
    // stopped.
    virtual void end() = 0;
    // Around a fork of the program's. Before it, in its stop: waits until no thread of the engine's holds what the child
    // needs. In the child: threads and child processes of the engine are the parent's.
    virtual void before_fork() {}
    virtual void after_fork_in_child() {}
    // Tracked containers seen since begin.
    virtual size_t objects() const = 0;

    // Whether it searches around suspects (core/mutator/suspects.hpp): then survivors are made noisy.
    virtual bool takes_suspects() const { return false; }
    // A young collection has looked at its objects for so long: what searches for nothing may cost is measured by that.
    virtual void note_young(int64_t) {}
    // Takes suspects, in a stop, and appends the garbage that it finds around them, exactly, in the order of the
    // suspects. Returns how many tracked containers it looked at. A full collection may be in flight. Throws
    // std::bad_alloc with nothing but suspects lost.
    virtual size_t search(Candidates&) { return 0; }
};

// The engine of the settings; null: reference counting alone. Throws std::bad_alloc.
std::unique_ptr<Engine> make_engine(const option::Settings& settings);

}  // namespace ouro::collector
