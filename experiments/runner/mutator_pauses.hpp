// A listener that keeps every time in which one thread could not run its own code because of a
// collection: whole collections that it ran itself, reclaiming included, and the stops of those that
// other threads ran. What a program feels, whatever the engine; in CPython the time between the two
// calls of gc.callbacks.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <thread>
#include <vector>

#include "ouroboros.h"

namespace ouro::runner {

class MutatorPauses {
public:
    // Of the calling thread.
    MutatorPauses();
    ~MutatorPauses();
    MutatorPauses(const MutatorPauses&) = delete;
    MutatorPauses& operator=(const MutatorPauses&) = delete;

    // As PauseRecorder::summary.
    nlohmann::json summary() const;
    // [[ns since begun_ns, ns], ...]: when each pause began and how long it was.
    nlohmann::json points(int64_t begun_ns) const;
    // {young, middle, full: {count, total_ns, max_ns}}: collections, by whichever thread.
    nlohmann::json collections() const;
    // CPU time of whole collections, by whichever thread.
    int64_t collector_cpu_ns() const { return collector_cpu_ns_; }

private:
    struct Generation {
        size_t count = 0;
        int64_t total_ns = 0;
        int64_t max_ns = 0;
    };
    static void listen(const OuroEvent* event, void* arg);

    std::thread::id thread_ = std::this_thread::get_id();
    std::vector<int64_t> starts_ns_;
    std::vector<int64_t> wall_ns_;
    std::vector<int64_t> cpu_ns_;
    std::array<Generation, 3> generations_;
    int64_t collector_cpu_ns_ = 0;
};

}  // namespace ouro::runner
