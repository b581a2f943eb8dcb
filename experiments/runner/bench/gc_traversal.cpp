// `gc-traversal`: full collections of long lists, alive, pyperformance's gc_traversal.
#include <new>
#include <nlohmann/json.hpp>
#include <vector>

#include "experiments/runner/pauses.hpp"
#include "experiments/runner/row.hpp"
#include "experiments/runner/table.hpp"
#include "experiments/runner/timed_collection.hpp"
#include "experiments/workloads/description.hpp"
#include "experiments/workloads/shapes.hpp"
#include "ouroboros.h"

namespace ouro::runner {
namespace {

using nlohmann::json;
using workloads::Described;
using workloads::Kind;
using workloads::Parameter;
using workloads::Values;

// Full collections of lists with many references, all alive. Throws std::runtime_error if one found anything.
json measure(Row& row, const Values& values, uint64_t) {
    const PauseRecorder pauses;
    const uint32_t levels = values.at("levels");
    const unsigned collections = values.at("collections");
    PyGC_Disable();
    PyObject* lists = workloads::new_nested_lists(levels);
    PyGC_Enable();
    if (lists == nullptr) {
        throw std::bad_alloc();
    }
    const int64_t first_ns = timed_collection(0);
    std::vector<int64_t> samples;
    for (unsigned i = 0; i < collections; ++i) {
        samples.push_back(timed_collection(0));
    }
    row["live_objects"] = levels;
    row["references"] = uint64_t{levels} * (levels - 1) / 2;
    row["collected"] = 0;
    row["live_collect_ns"] = median(samples);
    row["live_first_collect_ns"] = first_ns;
    row["live_collect_samples_ns"] = samples;
    row["garbage_collect_ns"] = nullptr;  // counting frees all of it
    row["backlog_max"] = 0;
    row["mutator_ops"] = nullptr;
    pauses.add_pauses(row);
    pauses.add_cpu(row);
    row.take_heap();
    json finished = row.finish();
    Py_DECREF(lists);
    return finished;
}

double references_of(const Values& values) {
    const double levels = values.at("levels").get<double>();
    return levels * levels / 2;
}

double seconds(Kind, const Values& values) {
    return 0.05 + values.at("collections").get<double>() * 2e-9 * references_of(values);
}

const Described gc_traversal({
    .name = "gc-traversal",
    .summary = "full collections of long lists, alive: pyperformance's gc_traversal",
    .parameters = {Parameter::number("levels", 1000, 1, 100'000, "lists, the n-th of n references"),
                   Parameter::collections(20, "after a first apart")},
    .size = "levels",
    .measure = measure,
    .print = print_collections,
    .script = "gc_traversal.py",
    .seconds = seconds,
    .bytes = [](Kind, const Values& values) { return 8 * references_of(values); },
    .not_covered = "lists of lists that are all alive, on request",
});

}  // namespace
}  // namespace ouro::runner
