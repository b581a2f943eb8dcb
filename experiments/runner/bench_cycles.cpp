#include "experiments/runner/bench_cycles.hpp"

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>
#include <vector>

#include "experiments/runner/mutator_pauses.hpp"
#include "experiments/runner/pauses.hpp"
#include "experiments/runner/row.hpp"
#include "experiments/runner/timed_collection.hpp"
#include "ouroboros.h"

namespace ouro::runner {
namespace {

// Drops a graph of so many objects and has it collected. The wall time.
int64_t drop_and_collect(const CyclesOptions& options, Py_ssize_t expected) {
    PyGC_Disable();  // all of it is there when the collection comes
    PyObject* all = workloads::new_cycles(options.shape, options.objects);
    PyGC_Enable();
    if (all == nullptr) {
        throw std::bad_alloc();
    }
    Py_DECREF(all);
    return timed_collection(expected);
}

}  // namespace

const std::map<std::string, workloads::CycleShape>& cycle_shapes() {
    using workloads::CycleShape;
    static const std::map<std::string, CycleShape> all = {
        {"ring", CycleShape::kRing}, {"chain", CycleShape::kChain}, {"rings", CycleShape::kRings}};
    return all;
}

nlohmann::json bench_cycles(const CyclesOptions& options) {
    Row row("cycles");
    const std::string shape =
        std::ranges::find(cycle_shapes(), options.shape, [](const auto& each) {
            return each.second;
        })->first;
    row["params"] = {{"shape", shape},
                     {"objects", options.objects},
                     {"live", options.live},
                     {"collections", options.collections}};
    const workloads::CycleCounts counts = workloads::cycle_counts(options.shape, options.objects);
    const uint32_t objects = counts.objects;
    workloads::Churn live({.live = options.live, .seed = options.seed});
    PyGC_Collect();
    row["live_objects"] = live.live();
    row["garbage_first_collect_ns"] = drop_and_collect(options, objects);
    {
        const PauseRecorder pauses;
        const MutatorPauses cycles;
        std::vector<int64_t> samples;
        for (unsigned i = 0; i < options.collections; ++i) {
            samples.push_back(drop_and_collect(options, objects));
        }
        row["garbage_collect_ns"] = median(samples);
        row["garbage_collect_samples_ns"] = samples;
        pauses.add_pauses(row);
        row["time_to_safepoint"] = percentiles(cycles.times_to_safepoint_ns());
        cycles.add_cycles(row);
    }
    row["components"] = counts.components;
    row["largest_component"] = counts.largest;
    row.take_heap();
    row["collected"] = objects;  // by each of them
    row["backlog_max"] = objects;
    row["mutator_ops"] = nullptr;
    row["live_collect_ns"] = nullptr;
    row["live_first_collect_ns"] = nullptr;
    row["live_collect_samples_ns"] = nlohmann::json::array();
    return row.finish();
}

}  // namespace ouro::runner
