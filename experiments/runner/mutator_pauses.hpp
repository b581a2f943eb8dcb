// A listener that keeps every time in which one thread could not run its own code because of a
// collection: whole collections that it ran itself, reclaiming included, the stops of those that
// other threads ran, and the times in which it was held back. What a program feels, whatever the
// engine; in CPython the time between the two calls of gc.callbacks.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <thread>
#include <vector>

#include "experiments/runner/children.hpp"
#include "experiments/runner/intervals.hpp"
#include "experiments/runner/slice_clock.hpp"
#include "ouroboros.h"

namespace ouro::runner {

class Row;

class MutatorPauses {
public:
    // Of the calling thread. With its clock, what began before the operation that is being done is no
    // pause of its own, because the thread ran meanwhile: a cycle that is made in slices. Without one,
    // a cycle that it runs is one pause.
    explicit MutatorPauses(const SliceClock* clock = nullptr);
    ~MutatorPauses();
    MutatorPauses(const MutatorPauses&) = delete;
    MutatorPauses& operator=(const MutatorPauses&) = delete;

    // United.
    Intervals pauses() const { return united(pauses_); }
    // From the request of each stop until everybody had stopped.
    const std::vector<int64_t>& times_to_safepoint_ns() const { return to_safepoint_ns_; }

    // As PauseRecorder::summary.
    nlohmann::json summary() const;
    // As PauseRecorder::add_pauses.
    void add_pauses(Row& row) const;
    // [[ns since begun_ns, ns], ...]: when each pause began and how long it was.
    nlohmann::json points(int64_t begun_ns) const;
    // Of cycles, by whichever thread: collections {young, middle, local, full: {count, total_ns, max_ns, condemned}},
    // collector_cpu_ns, what Children adds, and the sums of candidates, rejected, condemned, resurrected, freed.
    void add_cycles(Row& row) const;

private:
    struct Generation {
        size_t count = 0;
        int64_t total_ns = 0;
        int64_t max_ns = 0;
        size_t condemned = 0;
    };
    static void listen(const OuroEvent* event, void* arg);
    bool is_pause(const OuroEvent& event) const;
    void note_cycle(const OuroEvent& event);

    std::thread::id thread_ = std::this_thread::get_id();
    const SliceClock* clock_;
    int held_back_;  // the phase `wait`; -1: this runtime holds nobody back
    Intervals pauses_;
    std::vector<int64_t> to_safepoint_ns_;
    std::array<Generation, 3> generations_;
    Generation local_;
    int64_t collector_cpu_ns_ = 0;
    Children children_;
    size_t candidates_ = 0, rejected_ = 0, condemned_ = 0, resurrected_ = 0, freed_ = 0;
};

// Adds to a row what the pauses of some mutators, which ran from start_ns to end_ns, come to:
//   pause_budget_ns   the setting
//   merged_pauses     as `pauses`, where those less than a pause budget apart are one
//   stopped_fraction  part of the time that was pauses, mean over the mutators
//   mmu               {1ms, 10ms, 100ms}: least utilisation, of the mutator that had least
void add_utilisation(Row& row, const std::vector<Intervals>& mutators, int64_t start_ns,
                     int64_t end_ns);

// {count, total_ns, wall, cpu} of intervals, as PauseRecorder::summary.
nlohmann::json summary_of(const std::vector<Intervals>& mutators);
// {"1ms": ..., "10ms": ..., "100ms": ...}; null where the time was shorter.
nlohmann::json mmu_of(const std::vector<Intervals>& mutators, int64_t start_ns, int64_t end_ns);
// [[ns since begun_ns, ns], ...]
nlohmann::json points_of(const Intervals& intervals, int64_t begun_ns);

}  // namespace ouro::runner
