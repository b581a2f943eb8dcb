// Mutators at work: each thread makes its operations as fast as it can, or at fixed times, and keeps
// what happened to it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "experiments/runner/backlog.hpp"
#include "experiments/runner/intervals.hpp"
#include "experiments/runner/latencies.hpp"
#include "experiments/runner/memory_over_time.hpp"
#include "experiments/runner/metered.hpp"
#include "experiments/runner/mutator_pauses.hpp"
#include "experiments/runner/slice_clock.hpp"
#include "experiments/workloads/load.hpp"

namespace ouro::runner {

// One mutator's run.
struct MutatorRun {
    uint64_t operations = 0;
    // Those that were made, and those that were due at fixed times until the end and were not.
    uint64_t due = 0;
    // Of its processor's time, while it looked again and again whether an operation was due.
    int64_t waiting_ns = 0;
    // From when an operation was due, made or not, to its end; of those without fixed times from the
    // end of the one before. What was never made is as late as the end of the run.
    Latencies latencies;
    // Of those that were made, from when they began, if any are due at fixed times; else nothing.
    MeteredLatency metered;
    SliceClock clock;
    MutatorPauses pauses{&clock};
};

// All of them, with their loads, on which drop() was called.
struct MutatorRuns {
    int64_t start_ns = 0, end_ns = 0;
    int64_t cpu_ns = 0;  // of the process, meanwhile
    std::vector<std::unique_ptr<workloads::Load>> loads;
    std::vector<std::unique_ptr<MutatorRun>> mutators;
    size_t live = 0;  // containers of all loads before they were dropped
    size_t deallocated_before = 0;
    std::unique_ptr<BacklogRecorder> backlog;  // of all
    std::unique_ptr<MemoryRecorder> memory;

    uint64_t operations() const;
    int64_t waiting_ns() const;
    // What all have let go of, less what was deallocated.
    size_t backlog_now() const;
};

struct MutatorRunOptions {
    unsigned threads = 1;
    double seconds = 10;
    // Operations a second of all mutators, at fixed times; 0: as fast as they can. Several take turns of kTurnNs.
    std::vector<double> rates{0};
    // Called by one mutator at the end, when all have stopped and hold everything still.
    std::function<void()> at_end{};
};

// The calling thread, attached, is the first mutator. Throws what the loads throw.
MutatorRuns run_mutators(const workloads::MakeLoad& make, const MutatorRunOptions& options);

}  // namespace ouro::runner
