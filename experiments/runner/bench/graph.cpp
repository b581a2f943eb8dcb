// `graph`: a heap that hangs on one list, random or captured, collected alive, then dropped and collected.
#include "experiments/runner/bench/graph.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/runner/clock.hpp"
#include "experiments/runner/pauses.hpp"
#include "experiments/runner/row.hpp"
#include "experiments/runner/table.hpp"
#include "experiments/workloads/heap_file.hpp"
#include "experiments/workloads/heap_graph.hpp"
#include "experiments/workloads/instance.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;
using workloads::Described;
using workloads::GraphParameters;
using workloads::Kind;
using workloads::Parameter;
using workloads::Values;

struct Collection {
    Py_ssize_t found;
    int64_t ns;
};

Collection timed_collection() {
    const int64_t start = wall_ns();
    const Py_ssize_t found = PyGC_Collect();
    return {found, wall_ns() - start};
}

// What the containers cost: their slots, their buffers, their side metadata.
size_t container_bytes(const OuroHeapStatistics& statistics) {
    return statistics.container_bytes + statistics.buffer_bytes + statistics.metadata_bytes;
}

// The captured heap, and in the row what is known of it. Throws HeapFileError for a file that cannot be used, and
// std::runtime_error if what was rebuilt differs from it.
workloads::BuiltHeap rebuild(Row& row, const std::string& name, bool shuffled, uint64_t seed) {
    const workloads::HeapFile file = workloads::read_heap_file(name);
    const workloads::RebuiltHeap rebuilt = [&] {
        try {
            return workloads::rebuild_heap(file, {shuffled, seed});
        } catch (const workloads::HeapFileError&) {
            throw;
        } catch (const std::runtime_error& error) {
            throw std::runtime_error(
                fmt::format("--file {}: the rebuilt heap differs: {}", name, error.what()));
        }
    }();
    row["capture"] = json::parse(file.metadata.json);
    row["captured_container_bytes"] = file.container_bytes();
    for (size_t kind = 0; kind < workloads::kHeapKinds; ++kind) {
        row["kinds"][std::string(workloads::kHeapKindNames[kind])] = rebuilt.objects_of_kind[kind];
    }
    row["types"] = rebuilt.types;
    row["visited"] = rebuilt.visited;
    return rebuilt.heap;
}

json measure(Row& row, const Values& values, uint64_t seed) {
    OuroHeapStatistics before;
    Ouro_GetHeapStatistics(&before);
    PyGC_Disable();  // while the heap is built: what is measured is collections of all of it
    const json& file = values.at("file");
    const bool random = file.is_null();
    const GraphParameters parameters = random ? graph_of(values, seed) : GraphParameters{};
    workloads::BuiltHeap heap = random ? workloads::build_random_graph(parameters)
                                       : rebuild(row, file, values.at("shuffled"), seed);
    PyGC_Enable();
    const int64_t built_ns = wall_ns() - row.wall_start_ns();
    OuroHeapStatistics live;
    Ouro_GetHeapStatistics(&live);

    const PauseRecorder pauses;
    const int64_t first_ns = timed_collection().ns;
    std::vector<int64_t> samples;
    workloads::Mutator mutator(parameters, heap);
    const unsigned collections = values.at("collections");
    for (unsigned i = 0; i < collections; ++i) {
        if (random) {
            mutator.mutate();
        }
        samples.push_back(timed_collection().ns);
    }

    Py_DECREF(heap.root);
    const size_t backlog = tracked_objects() - before.tracked;
    const Collection garbage = timed_collection();

    row["live_objects"] = live.tracked - before.tracked;
    row["containers"] = heap.objects;
    row["references"] = heap.references;
    row["container_bytes"] = container_bytes(live) - container_bytes(before);
    row["collected"] = garbage.found;
    row["live_collect_ns"] = median(samples);
    row["live_first_collect_ns"] = first_ns;
    row["live_collect_samples_ns"] = samples;
    row["garbage_collect_ns"] = garbage.ns;
    row["build_ns"] = built_ns;
    pauses.add_pauses(row);
    row["backlog_max"] = backlog;
    malloc_trim(0);  // what the building of the heap left with the C library is not the heap's
    row.take_heap(live);
    pauses.add_cpu(row);
    row["mutator_ops"] = heap.objects + heap.references;
    return row.finish();
}

// Of one 2.6 GHz machine; the time left is corrected by what runs really take.
double seconds(Kind kind, const Values& values) {
    const double millions = values.at("objects").get<double>() / 1e6;
    const bool shuffled = values.at("shuffled").get<bool>();
    const bool ours = kind == Kind::kOurs;
    const double python = shuffled ? std::min(2.2, 0.4 + 0.9 * std::pow(millions, 0.35)) : 0.3;
    const double collection = ours ? (shuffled ? 0.10 : 0.07) : python;
    return 0.05 + millions * ((ours ? 0.2 : 1.6) +
                              collection * (values.at("collections").get<double>() + 3));
}

double bytes(Kind, const Values& values) {
    if (values.at("objects").is_null()) {
        return static_cast<double>(workloads::heap_file_bytes(values.at("file")));
    }
    return values.at("objects").get<double>() * (45 + 7 * values.at("degree").get<double>());
}

std::vector<Parameter> parameters() {
    std::vector<Parameter> all = graph_parameters();
    all.push_back(Parameter::collections(
        5, "collections with everything alive, after a first that is shown apart"));
    all.push_back({.name = "file",
                   .type = Parameter::Type::kText,
                   .help = "a heap captured by experiments/capture/heapgraph.py instead",
                   .scope = Parameter::Scope::kCommand,
                   .instead_of = {"objects", "degree", "mutate"}});
    return all;
}

const Described graph({
    .name = "graph",
    .summary = "a random graph on one list, collected alive, then dropped and collected",
    .parameters = parameters(),
    .size = "objects",
    .measure = measure,
    .print = print_collections,
    .script = "graph.py",
    .generator = {"edges", {"objects", "degree", "shuffled", "mutate", "collections"}},
    // An instance without slots is no container in CPython.
    .ours_alone = [](const Values& values) { return values.at("degree") == 0; },
    .seconds = seconds,
    .bytes = bytes,
    .not_covered = "a heap of one kind of object with a fixed number of references, collected on "
                   "request; nothing runs meanwhile",
});

}  // namespace

const std::vector<Parameter>& graph_parameters() {
    static const std::vector<Parameter> all = {
        Parameter::number("objects", 1'000'000, 1, 1 << 30, "containers in the graph"),
        Parameter::number("degree", 3, 0, 2000, "references each of them holds"),
        Parameter::toggle(
            "shuffled",
            "the root list holds them in random order; a captured heap is made in random order"),
        Parameter::number("mutate", 0, 0, 100,
                          "per cent of the references that point elsewhere before each collection "
                          "but the first")};
    return all;
}

const workloads::Description& graph_description() {
    return *std::ranges::find(workloads::descriptions(), "graph", &workloads::Description::name);
}

GraphParameters graph_of(const Values& values, uint64_t seed) {
    return {.objects = values.at("objects"),
            .degree = values.at("degree"),
            .shuffled = values.at("shuffled"),
            .mutate_percent = values.at("mutate"),
            .seed = seed};
}

}  // namespace ouro::runner
