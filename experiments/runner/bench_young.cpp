#include "experiments/runner/bench_young.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "experiments/runner/clock.hpp"
#include "experiments/runner/mutator_pauses.hpp"
#include "experiments/runner/pauses.hpp"
#include "experiments/runner/row.hpp"

namespace ouro::runner {
namespace {

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

}  // namespace

nlohmann::json bench_young(const YoungOptions& options) {
    Row row("young");
    row["params"] = {{"old", options.heap.old_objects},
                     {"young", options.heap.young_objects},
                     {"collections", options.collections}};

    workloads::YoungAndOld heap(options.heap);
    row["build_ns"] = wall_ns() - row.wall_start_ns();
    row["live_objects"] = heap.old_objects();
    row["young_objects"] = heap.young_objects();
    {
        const MutatorPauses pauses;
        const Samples alive = sample(heap, true, options.collections);
        const Samples dead = sample(heap, false, options.collections);
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

}  // namespace ouro::runner
