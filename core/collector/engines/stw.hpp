// Stop the world, one thread or several (engine stw-parallel): CPython's algorithm on side metadata.
//
//     count   for every tracked object: its count, less one for each reference found by traversal
//     roots   what has something left is referenced from outside; the rest is white
//     mark    what the roots reach is not white any more
//
// What is still white is garbage, exactly. All passes go over the heap in address order.
#pragma once

#include "concurrency/worklist/executor.hpp"

#include "core/collector/engine.hpp"
#include "core/include/ouroboros/event.h"

namespace ouro::collector {

class StwEngine final : public Engine {
public:
    // As many threads as workers, or as the system gives. Throws std::bad_alloc.
    explicit StwEngine(unsigned workers) : executor_(workers) {}

    bool reads_heap() const override { return false; }
    void begin(Cycle cycle, Candidates& candidates) override;
    Next step(Deadline&, World, Candidates&) override { return Next::kDone; }
    OuroPhase phase() const override { return OURO_PHASE_MARK; }
    void end() override {}
    void before_fork() override { executor_.before_fork(); }
    void after_fork_in_child() override { executor_.after_fork_in_child(); }
    size_t objects() const override { return objects_; }

private:
    template <class Work>
    void run_phase(OuroPhase name, Cycle cycle, const Work& work);

    worklist::Executor executor_;
    size_t objects_ = 0;
};

}  // namespace ouro::collector
