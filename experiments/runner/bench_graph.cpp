#include "experiments/runner/bench_graph.hpp"

#include <malloc.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "experiments/runner/clock.hpp"
#include "experiments/runner/pauses.hpp"
#include "experiments/runner/row.hpp"
#include "experiments/workloads/heap_graph.hpp"
#include "experiments/workloads/instance.hpp"

namespace ouro::runner {
namespace {

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

// The captured heap, and in the row what is known of it.
workloads::BuiltHeap rebuild(const GraphOptions& options, Row& row) {
    const workloads::HeapFile file = workloads::read_heap_file(*options.file);
    const workloads::RebuiltHeap rebuilt =
        workloads::rebuild_heap(file, {options.random.shuffled, options.random.seed});
    row["params"] = {{"file", *options.file},
                     {"shuffled", options.random.shuffled},
                     {"collections", options.collections}};
    row["capture"] = nlohmann::json::parse(file.metadata.json);
    row["captured_container_bytes"] = file.container_bytes();
    for (size_t kind = 0; kind < workloads::kHeapKinds; ++kind) {
        row["kinds"][std::string(workloads::kHeapKindNames[kind])] = rebuilt.objects_of_kind[kind];
    }
    row["types"] = rebuilt.types;
    row["visited"] = rebuilt.visited;
    return rebuilt.heap;
}

}  // namespace

nlohmann::json bench_graph(const GraphOptions& options) {
    OuroHeapStatistics before;
    Ouro_GetHeapStatistics(&before);
    PyGC_Disable();  // while the heap is built: what is measured is collections of all of it
    Row row("graph");

    workloads::BuiltHeap heap;
    if (options.file) {
        heap = rebuild(options, row);
    } else {
        const workloads::GraphParameters& random = options.random;
        heap = workloads::build_random_graph(random);
        row["params"] = {{"objects", random.objects},
                         {"degree", random.degree},
                         {"shuffled", random.shuffled},
                         {"mutate", random.mutate_percent},
                         {"collections", options.collections}};
    }
    PyGC_Enable();
    const int64_t built_ns = wall_ns() - row.wall_start_ns();
    OuroHeapStatistics live;
    Ouro_GetHeapStatistics(&live);

    const PauseRecorder pauses;
    const int64_t first_ns = timed_collection().ns;
    std::vector<int64_t> samples;
    workloads::Mutator mutator(options.random, heap);
    for (unsigned i = 0; i < options.collections; ++i) {
        if (!options.file) {
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

}  // namespace ouro::runner
