// Engine incremental, and concurrent: the passes of OldPass in slices, in stops or concurrent ones.
#pragma once

#include <optional>

#include "core/collector/engine.hpp"
#include "core/collector/engines/old_pass.hpp"

namespace ouro::collector {

class SlicedEngine : public Engine {
public:
    bool reads_heap() const override { return true; }
    bool has_begun() const { return pass_.has_value(); }
    void begin(Cycle cycle, Candidates& candidates) override;
    Next step(Deadline& deadline, World world, Candidates& candidates) override;
    OuroPhase phase() const override { return phase_; }
    void end() override { pass_.reset(); }
    size_t objects() const override { return pass_ ? pass_->objects() : 0; }

private:
    OuroPhase phase_ = OURO_PHASE_COUNT;
    std::optional<OldPass> pass_;
};

}  // namespace ouro::collector
