// `cycles`: how long the world stands still for garbage in one component, and for as much of it in many.
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/runner/mutator_pauses.hpp"
#include "experiments/runner/pauses.hpp"
#include "experiments/runner/row.hpp"
#include "experiments/runner/table.hpp"
#include "experiments/runner/timed_collection.hpp"
#include "experiments/workloads/churn.hpp"
#include "experiments/workloads/cycles.hpp"
#include "experiments/workloads/description.hpp"
#include "ouroboros.h"

namespace ouro::runner {
namespace {

using nlohmann::json;
using workloads::Described;
using workloads::Kind;
using workloads::Parameter;
using workloads::Values;

using workloads::CycleShape;

CycleShape shape_of(const std::string& word) {
    return word == "ring"    ? CycleShape::kRing
           : word == "chain" ? CycleShape::kChain
                             : CycleShape::kRings;
}

// Drops a graph of so many objects and has it collected. The wall time.
int64_t drop_and_collect(CycleShape shape, uint32_t objects, Py_ssize_t expected) {
    PyGC_Disable();  // all of it is there when the collection comes
    PyObject* all = workloads::new_cycles(shape, objects);
    PyGC_Enable();
    if (all == nullptr) {
        throw std::bad_alloc();
    }
    Py_DECREF(all);
    return timed_collection(expected);
}

// `pauses` are those of the world. Throws std::runtime_error if a collection found another number of objects than
// there was.
json measure(Row& row, const Values& values, uint64_t seed) {
    const CycleShape shape = shape_of(values.at("shape"));
    const uint32_t wanted = values.at("objects");
    const unsigned collections = values.at("collections");
    const workloads::CycleCounts counts = workloads::cycle_counts(shape, wanted);
    const uint32_t objects = counts.objects;
    workloads::Churn live({.live = values.at("live"), .seed = seed});
    PyGC_Collect();
    row["live_objects"] = live.live();
    row["garbage_first_collect_ns"] = drop_and_collect(shape, wanted, objects);
    {
        const PauseRecorder pauses;
        const MutatorPauses cycles;
        std::vector<int64_t> samples;
        for (unsigned i = 0; i < collections; ++i) {
            samples.push_back(drop_and_collect(shape, wanted, objects));
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
    return row.finish();
}

void print(const json& row) {
    line("", "", "an object");
    line("objects alive", row["live_objects"].dump());
    line("objects of garbage", row["collected"].dump());
    line("collection of garbage", milliseconds(row["garbage_collect_ns"]),
         per_object(row["garbage_collect_ns"], row["collected"]));
    line("components", row["components"].dump());
    // A test that is cut up is cut between components: a pause is at least that of the largest.
    line("  largest", row["largest_component"].dump());
    print_cycles(row);
}

const Described cycles({
    .name = "cycles",
    .summary = "garbage in one component or in many, collected beside a live set",
    .parameters = {Parameter::word(
                       "shape", {"ring", "chain", "rings"},
                       "one ring of all; a small ring and the rest hanging off it; rings of ten"),
                   Parameter::number("objects", 1'000'000, 10, 1 << 30, "of the garbage"),
                   Parameter::number("live", 100'000, 4, 1 << 30, "containers of the live set"),
                   Parameter::collections(3, "of as much garbage each")},
    .size = "objects",
    .measure = measure,
    .print = print,
    .seconds =
        [](Kind, const Values& values) {
            return 0.1 + 0.5e-6 * values.at("objects").get<double>() *
                             values.at("collections").get<double>();
        },
    .bytes =
        [](Kind, const Values& values) {
            return 37 * (values.at("objects").get<double>() + values.at("live").get<double>());
        },
    // "cycles:chain": each shape is a workload of its own.
    .title = [](const Values& values) { return "cycles:" + values.at("shape").get<std::string>(); },
    .not_covered =
        "garbage of one shape, collected on request, beside a live set that stands still",
});

}  // namespace
}  // namespace ouro::runner
