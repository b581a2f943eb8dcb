// A listener that sums what the processor counted in each phase of all collections (the setting counters).
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "ouroboros.h"

namespace ouro::runner {

class CountedPhases {
public:
    CountedPhases();
    ~CountedPhases();
    CountedPhases(const CountedPhases&) = delete;
    CountedPhases& operator=(const CountedPhases&) = delete;

    // {problem, phases: {NAME: {events, cpu_ns, and each counter by its name}}}. A counter that there is not
    // is null; if there is none at all `problem` says why and there are no phases, else it is null.
    nlohmann::json summary() const;

private:
    struct Phase {
        size_t events = 0;
        int64_t cpu_ns = 0;
        std::array<uint64_t, OURO_COUNTER_COUNT_> counters{};
    };
    static void listen(const OuroEvent* event, void* arg);

    std::array<Phase, OURO_PHASE_COUNT_> phases_;
};

}  // namespace ouro::runner
