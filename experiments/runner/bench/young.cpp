// `young`: what a collection of the young costs beside an old heap.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "experiments/runner/clock.hpp"
#include "experiments/runner/mutator_pauses.hpp"
#include "experiments/runner/pauses.hpp"
#include "experiments/runner/row.hpp"
#include "experiments/runner/table.hpp"
#include "experiments/workloads/description.hpp"
#include "experiments/workloads/young.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;
using workloads::Described;
using workloads::Kind;
using workloads::Parameter;
using workloads::Values;

struct Samples {
    int64_t first_ns;  // the warm-up, which is not among the others
    std::vector<int64_t> wall_ns, cpu_ns;
};

// Wall and CPU time of collections of the young, all alive or all dead.
Samples sample(workloads::YoungAndOld& heap, bool alive, unsigned collections) {
    const auto expected = static_cast<Py_ssize_t>(alive ? 0 : heap.young_objects());
    Samples samples{};
    for (unsigned i = 0; i <= collections; ++i) {
        PyGC_Disable();  // the young are to be collected when all of them are there
        heap.make_young(alive);
        PyGC_Enable();
        const int64_t cpu_start = thread_cpu_ns();
        const int64_t start = wall_ns();
        const Py_ssize_t found = Ouro_CollectGeneration(0);
        const int64_t end = wall_ns();
        const int64_t cpu_end = thread_cpu_ns();
        if (found != expected) {
            throw std::runtime_error(
                fmt::format("a collection of the young found {} objects, not {}", found, expected));
        }
        if (i == 0) {
            samples.first_ns = end - start;
        } else {
            samples.wall_ns.push_back(end - start);
            samples.cpu_ns.push_back(cpu_end - cpu_start);
        }
        heap.let_go();
        Ouro_CollectGeneration(1);  // those that were alive are middle now
    }
    return samples;
}

// `live` figures are those with all young objects alive, `garbage` those with all of them dead. Throws
// std::runtime_error if a collection found another number of objects than there was.
json measure(Row& row, const Values& values, uint64_t) {
    const unsigned collections = values.at("collections");
    workloads::YoungAndOld heap(
        {.old_objects = values.at("old"), .young_objects = values.at("young")});
    row["build_ns"] = wall_ns() - row.wall_start_ns();
    row["live_objects"] = heap.old_objects();
    row["young_objects"] = heap.young_objects();
    {
        const MutatorPauses pauses;
        const Samples alive = sample(heap, true, collections);
        const Samples dead = sample(heap, false, collections);
        row["live_first_collect_ns"] = alive.first_ns;
        row["live_collect_ns"] = median(alive.wall_ns);
        row["live_collect_samples_ns"] = alive.wall_ns;
        row["live_collect_cpu_samples_ns"] = alive.cpu_ns;
        row["garbage_first_collect_ns"] = dead.first_ns;
        row["garbage_collect_ns"] = median(dead.wall_ns);
        row["garbage_collect_samples_ns"] = dead.wall_ns;
        row["garbage_collect_cpu_samples_ns"] = dead.cpu_ns;
        pauses.add_pauses(row);
        pauses.add_cycles(row);
    }
    row.take_heap();
    row["collected"] = heap.young_objects();  // by each collection with all of the young dead
    row["backlog_max"] = heap.young_objects();
    row["mutator_ops"] = nullptr;
    return row.finish();
}

void print(const json& row) {
    const json& young = row["young_objects"];
    line("", "", "an object");
    line("objects, old", row["live_objects"].dump());
    line("objects, young", young.dump());
    line("collection, all alive", milliseconds(row["live_collect_ns"]),
         per_object(row["live_collect_ns"], young));
    line("collection, all dead", milliseconds(row["garbage_collect_ns"]),
         per_object(row["garbage_collect_ns"], young));
}

double seconds(Kind kind, const Values& values) {
    return 0.1 + (kind == Kind::kOurs ? 1 : 3) * 0.3e-6 * values.at("old").get<double>();
}

double bytes(Kind, const Values& values) {
    return 50 * (values.at("old").get<double>() + values.at("young").get<double>());
}

const Described young({
    .name = "young",
    .summary = "collections of young objects alone, alive and dead, beside an old heap",
    .parameters = {{.name = "old",
                    .initial = 1'000'000,
                    .least = workloads::YoungAndOld::kRing,
                    .greatest = 1 << 30,
                    .help = "old containers",
                    .command_initial = 100'000},
                   // The threshold of a young collection, ours and CPython's from 3.13 on.
                   Parameter::number("young", 2000, workloads::YoungAndOld::kRing, 1 << 30,
                                     "young containers of each collection"),
                   Parameter::collections(30, "of each kind")},
    .size = "old",
    .measure = measure,
    .print = print,
    .script = "young.py",
    .seconds = seconds,
    .bytes = bytes,
    .not_covered = "collections on request; the young have one shape and one age",
});

}  // namespace
}  // namespace ouro::runner
