// Engine incremental, and concurrent: the passes of OldPass in slices, in stops or concurrent ones.
#pragma once

#include <optional>

#include "core/collector/engine.hpp"
#include "core/collector/engines/old_pass.hpp"

namespace ouro::collector {

class SlicedEngine : public Engine {
public:
    // `threads` make its concurrent slices, as SliceWorkers says. Throws std::bad_alloc.
    explicit SlicedEngine(size_t threads) : workers_(threads) {}

    bool reads_heap() const override { return true; }
    bool has_begun() const { return pass_.has_value(); }
    void begin(Cycle cycle, Candidates& candidates) override;
    Next step(Deadline& deadline, World world, Candidates& candidates) override;
    OuroPhase phase() const override { return phase_; }
    void end() override { pass_.reset(); }
    SliceWorkers* threads() override { return &workers_; }
    bool help(Deadline deadline) override { return workers_.join(deadline); }
    void before_fork() override { workers_.before_fork(); }
    void after_fork_in_child() override { workers_.after_fork_in_child(); }
    size_t objects() const override { return pass_ ? pass_->objects() : 0; }

private:
    SliceWorkers workers_;
    OuroPhase phase_ = OURO_PHASE_COUNT;
    std::optional<OldPass> pass_;
};

}  // namespace ouro::collector
