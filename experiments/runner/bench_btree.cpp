#include "experiments/runner/bench_btree.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "experiments/runner/clock.hpp"
#include "experiments/runner/pauses.hpp"
#include "experiments/runner/row.hpp"
#include "experiments/runner/timed_collection.hpp"
#include "experiments/workloads/btree.hpp"
#include "experiments/workloads/edges.hpp"

namespace ouro::runner {
namespace {

// Walks a tree and looks some of its keys up, as a program does that uses it; returns how many operations that
// was. Throws std::runtime_error if a key is lost.
uint64_t use_tree(PyObject* tree, uint32_t nodes, workloads::Random& random) {
    struct Walk {
        PyObject* tree;
        uint64_t items = 0;
        double sum = 0;
    } walk{tree};
    workloads::btree_walk(
        tree,
        [](PyObject* item, void* arg) {
            auto* self = static_cast<Walk*>(arg);
            PyObject* found =
                workloads::btree_get(self->tree, PyLong_AsLong(PyTuple_GET_ITEM(item, 0)));
            if (found != PyTuple_GET_ITEM(item, 1)) {
                throw std::runtime_error("the tree has lost a key");
            }
            ++self->items;
            self->sum += workloads::record_value(found);
        },
        &walk);
    const uint32_t asked = std::max(200u, nodes / 20);
    for (uint32_t i = 0; i < asked; ++i) {
        const auto key = static_cast<long>(random.below(nodes + 1));  // the last is not there
        if (PyObject* found = workloads::btree_get(tree, key); found != nullptr) {
            walk.sum += workloads::record_value(found);
        } else if (key != static_cast<long>(nodes)) {
            throw std::runtime_error("the tree has lost a key");
        }
    }
    if (walk.items != nodes || walk.sum < 0) {
        throw std::runtime_error("the tree has not the keys that it should have");
    }
    return walk.items + asked;
}

}  // namespace

nlohmann::json bench_btree(const BTreeOptions& options) {
    Row row("btree");
    row["params"] = {{"nodes", options.nodes}, {"collections", options.collections}};
    workloads::Random random(options.seed);
    PyObject* records = workloads::new_records(options.nodes, 99, random);
    row["build_ns"] = wall_ns() - row.wall_start_ns();
    const PauseRecorder pauses;
    const int64_t cpu_start = process_cpu_ns();
    const int64_t start = wall_ns();
    PyObject* tree = workloads::new_record_tree(records, random);
    row["live_first_collect_ns"] = timed_collection(0);
    const uint64_t operations = use_tree(tree, options.nodes, random) + options.nodes;
    const int64_t run_ns = wall_ns() - start;
    row["run_ns"] = run_ns;
    row["run_cpu_ns"] = process_cpu_ns() - cpu_start;
    row["mutator_ops"] = operations;
    row["ns_per_op"] = static_cast<double>(run_ns) / static_cast<double>(operations);
    std::vector<int64_t> samples;
    for (unsigned i = 0; i < options.collections; ++i) {
        samples.push_back(timed_collection(0));
    }
    row["live_objects"] = workloads::btree_containers(tree) + options.nodes;
    row["collected"] = 0;
    row["live_collect_ns"] = median(samples);
    row["live_collect_samples_ns"] = samples;
    row["garbage_collect_ns"] = nullptr;  // counting frees all of it
    row["backlog_max"] = 0;
    pauses.add_pauses(row);
    pauses.add_cpu(row);
    row["rss_live_bytes"] = resident_bytes();
    row.take_heap();
    Py_DECREF(tree);
    Py_DECREF(records);
    return row.finish();
}

}  // namespace ouro::runner
