// `btree`: an index of records. The run is pyperformance's: a tree is made, collected once, walked, and asked for
// some of its keys. Then full collections with everything alive.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "experiments/runner/clock.hpp"
#include "experiments/runner/pauses.hpp"
#include "experiments/runner/row.hpp"
#include "experiments/runner/table.hpp"
#include "experiments/runner/timed_collection.hpp"
#include "experiments/workloads/btree.hpp"
#include "experiments/workloads/description.hpp"
#include "experiments/workloads/edges.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;
using workloads::Described;
using workloads::Kind;
using workloads::Parameter;
using workloads::Values;

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

json measure(Row& row, const Values& values, uint64_t seed) {
    const uint32_t nodes = values.at("nodes");
    const unsigned collections = values.at("collections");
    workloads::Random random(seed);
    PyObject* records = workloads::new_records(nodes, 99, random);
    row["build_ns"] = wall_ns() - row.wall_start_ns();
    const PauseRecorder pauses;
    const int64_t cpu_start = process_cpu_ns();
    const int64_t start = wall_ns();
    PyObject* tree = workloads::new_record_tree(records, random);
    row["live_first_collect_ns"] = timed_collection(0);
    const uint64_t operations = use_tree(tree, nodes, random) + nodes;
    const int64_t run_ns = wall_ns() - start;
    row["run_ns"] = run_ns;
    row["run_cpu_ns"] = process_cpu_ns() - cpu_start;
    row["mutator_ops"] = operations;
    row["ns_per_op"] = static_cast<double>(run_ns) / static_cast<double>(operations);
    std::vector<int64_t> samples;
    for (unsigned i = 0; i < collections; ++i) {
        samples.push_back(timed_collection(0));
    }
    row["live_objects"] = workloads::btree_containers(tree) + nodes;
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

void print(const json& row) {
    print_collections(row);
    line("operations", row["mutator_ops"].dump());
    line("run", milliseconds(row["run_ns"]));
}

double seconds(Kind kind, const Values& values) {
    const double nodes = values.at("nodes").get<double>();
    const bool ours = kind == Kind::kOurs;
    return 0.1 + nodes * ((ours ? 3e-6 : 20e-6) +
                          (ours ? 0.2e-6 : 0.6e-6) * values.at("collections").get<double>());
}

const Described btree({
    .name = "btree",
    .summary = "an index of records, used and collected alive: pyperformance's btree",
    // pyperformance calls records nodes.
    .parameters = {Parameter::number("nodes", 200'000, 1, 1 << 26, "records in the tree"),
                   Parameter::collections(5, "after a first in the run")},
    .size = "nodes",
    .measure = measure,
    .print = print,
    .script = "btree.py",
    .generator = {"numbers"},
    .seconds = seconds,
    .bytes = [](Kind, const Values& values) { return 400 * values.at("nodes").get<double>(); },
    .not_covered =
        "a tree that is built and read, alive, and has no cycle; no text or number is computed",
});

}  // namespace
}  // namespace ouro::runner
