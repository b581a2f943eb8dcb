#include "experiments/runner/bench_shapes.hpp"

#include <new>
#include <nlohmann/json.hpp>
#include <vector>

#include "experiments/runner/pauses.hpp"
#include "experiments/runner/row.hpp"
#include "experiments/runner/timed_collection.hpp"
#include "experiments/workloads/shapes.hpp"
#include "ouroboros.h"

namespace ouro::runner {
namespace {

PyObject* required(PyObject* op) {
    if (op == nullptr) {
        throw std::bad_alloc();
    }
    return op;
}

}  // namespace

nlohmann::json bench_gc_collect(const CollectOptions& options) {
    Row row("gc-collect");
    const PauseRecorder pauses;
    row["params"] = {
        {"cycles", options.cycles}, {"links", options.links}, {"collections", options.collections}};
    const auto objects = static_cast<Py_ssize_t>(uint64_t{options.cycles} * (options.links + 1));
    std::vector<int64_t> samples;
    for (unsigned i = 0; i <= options.collections; ++i) {
        PyGC_Collect();
        PyGC_Disable();  // all of them shall be there when the collection comes
        Py_DECREF(required(workloads::new_linked_cycles(options.cycles, options.links)));
        PyGC_Enable();
        const int64_t ns = timed_collection(objects);
        if (i == 0) {
            row["garbage_first_collect_ns"] = ns;
        } else {
            samples.push_back(ns);
        }
    }
    row["live_objects"] = objects;
    row["collected"] = objects;  // by each of them
    row["garbage_collect_ns"] = median(samples);
    row["garbage_collect_samples_ns"] = samples;
    row["live_collect_ns"] = nullptr;
    row["live_first_collect_ns"] = nullptr;
    row["live_collect_samples_ns"] = nlohmann::json::array();
    row["backlog_max"] = objects;
    row["mutator_ops"] = (uint64_t{options.collections} + 1) * static_cast<uint64_t>(objects);
    pauses.add_pauses(row);
    pauses.add_cpu(row);
    row.take_heap();
    return row.finish();
}

nlohmann::json bench_gc_traversal(const TraversalOptions& options) {
    Row row("gc-traversal");
    const PauseRecorder pauses;
    row["params"] = {{"levels", options.levels}, {"collections", options.collections}};
    PyGC_Disable();
    PyObject* lists = required(workloads::new_nested_lists(options.levels));
    PyGC_Enable();
    const int64_t first_ns = timed_collection(0);
    std::vector<int64_t> samples;
    for (unsigned i = 0; i < options.collections; ++i) {
        samples.push_back(timed_collection(0));
    }
    row["live_objects"] = options.levels;
    row["references"] = uint64_t{options.levels} * (options.levels - 1) / 2;
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
    nlohmann::json finished = row.finish();
    Py_DECREF(lists);
    return finished;
}

}  // namespace ouro::runner
