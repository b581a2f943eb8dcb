// `gc-collect`: full collections of rings that were dropped, pyperformance's gc_collect.
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

// A full collection that is not measured; the cycles are made and dropped; the full collection of that garbage is a
// sample. Throws std::runtime_error if one found another number of objects than there was.
json measure(Row& row, const Values& values, uint64_t) {
    const PauseRecorder pauses;
    const uint32_t cycles = values.at("cycles");
    const uint32_t links = values.at("links");
    const unsigned collections = values.at("collections");
    const auto objects = static_cast<Py_ssize_t>(uint64_t{cycles} * (links + 1));
    std::vector<int64_t> samples;
    for (unsigned i = 0; i <= collections; ++i) {
        PyGC_Collect();
        PyGC_Disable();  // all of them shall be there when the collection comes
        PyObject* all = workloads::new_linked_cycles(cycles, links);
        if (all == nullptr) {
            throw std::bad_alloc();
        }
        Py_DECREF(all);
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
    row["backlog_max"] = objects;
    row["mutator_ops"] = (uint64_t{collections} + 1) * static_cast<uint64_t>(objects);
    pauses.add_pauses(row);
    pauses.add_cpu(row);
    row.take_heap();
    return row.finish();
}

void print(const json& row) {
    line("", "", "an object");
    line("objects", row["live_objects"].dump());
    line("collection of garbage", milliseconds(row["garbage_collect_ns"]),
         per_object(row["garbage_collect_ns"], row["collected"]));
}

double objects_of(const Values& values) {
    return values.at("cycles").get<double>() * (values.at("links").get<double>() + 1);
}

double seconds(Kind kind, const Values& values) {
    const double each = kind == Kind::kOurs ? 0.2e-6 : 0.8e-6;
    return 0.05 + values.at("collections").get<double>() * (1e-3 + each * objects_of(values));
}

const Described gc_collect({
    .name = "gc-collect",
    .summary = "full collections of rings that were dropped: pyperformance's gc_collect",
    .parameters = {Parameter::number("cycles", 100, 1, 1 << 24, "rings of each collection"),
                   Parameter::number("links", 20, 1, 1 << 20,
                                     "a ring has one object more than that"),
                   Parameter::collections(100, "samples, after a first apart")},
    .size = "cycles",
    .measure = measure,
    .print = print,
    .script = "gc_collect.py",
    .seconds = seconds,
    .bytes = [](Kind, const Values& values) { return 40 * objects_of(values); },
    .not_covered = "rings that nothing else refers to, on request",
});

}  // namespace
}  // namespace ouro::runner
