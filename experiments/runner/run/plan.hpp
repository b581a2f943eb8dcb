// What an experiment runs and in which order. Pure: the same experiment gives the same plan.
//
// Invocations are the outermost loop; inside one, every configuration comes once for each subject, in
// an order drawn from the seed, so that all of them interleave and slow drifts of the machine hit all
// alike (METHODOLOGY: Kalibera and Jones, ISMM 2013). In fill-in order this is so of each level of the
// sweeps, one after the other, so that an experiment that is not at its end has a coarser curve.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "experiments/runner/memory_limit.hpp"
#include "experiments/runner/run/experiment.hpp"

namespace ouro::runner {

// One process, or one pipe of them.
struct Run {
    unsigned invocation;
    size_t configuration;  // in Experiment::configurations
    size_t subject;        // in Experiment::subjects
    unsigned repeat;       // 1: the second of an A/A pair, measured for the noise floor alone
    uint64_t seed;         // of the workload: equal for all of an invocation
    double estimate;       // seconds
    bool captures;         // it keeps a heap for the others of its configuration and invocation

    bool operator==(const Run&) const = default;
};

// The level of each of a sweep's values: 0 the two ends and the middle, 1 the middles between those,
// and so on.
std::vector<unsigned> fill_in_levels(size_t values);

// Captured heaps that none of the subjects captures, so that nobody runs: their titles.
std::vector<std::string> uncaptured(const Experiment& experiment);

// Of its configurations the most.
unsigned invocations_of(const Experiment& experiment);

std::vector<Run> make_plan(const Experiment& experiment);

// Which runs of the plan (by place) are still to be made, in order. `statuses` has the last status of
// each run that was begun. An interrupted run is made again, one that failed only if `failed_too`; a
// capture is repeated where a run of its invocation is left, because the heap that it kept is gone.
std::vector<size_t> left_to_do(const std::vector<Run>& plan, const Experiment& experiment,
                               const std::map<size_t, std::string>& statuses, bool failed_too);

// Which of these runs cannot fit in memory: for each configuration a line with its place, a subject, what it needs
// and what there is. Empty if all fit.
std::string too_large(const std::vector<Run>& runs, const Experiment& experiment,
                      const MemoryLimit& limit);

// "ouro-stw  graph 10,000 objects, shuffled", for people.
std::string title_of(const Run& run, const Experiment& experiment);

}  // namespace ouro::runner
