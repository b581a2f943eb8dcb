#include "experiments/runner/bench_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "experiments/runner/backlog.hpp"
#include "experiments/runner/clock.hpp"
#include "experiments/runner/memory_over_time.hpp"
#include "experiments/runner/mutator_pauses.hpp"
#include "experiments/runner/pauses.hpp"
#include "experiments/runner/row.hpp"
#include "experiments/runner/table.hpp"

namespace ouro::runner {
namespace {

// Runs the operations; returns how many.
uint64_t run(workloads::Load& load, const Steps& steps, BacklogRecorder& backlog,
             MemoryRecorder& memory) {
    const uint64_t wanted = steps.seconds ? UINT64_MAX : steps.operations;
    const int64_t end_ns =
        steps.seconds ? wall_ns() + static_cast<int64_t>(*steps.seconds) * 1'000'000'000 : 0;
    uint64_t done = 0;
    for (; done < wanted; ++done) {
        if (done % steps.look_every == 0) {
            memory.note();
            if (steps.seconds && wall_ns() >= end_ns) {
                break;
            }
        }
        load.step();
        backlog.note(load.backlog());
    }
    backlog.finish();
    memory.finish();
    return done;
}

}  // namespace

nlohmann::json bench_steps(Row& row, workloads::Load& load, const Steps& steps) {
    row["build_ns"] = wall_ns() - row.wall_start_ns();
    row["live_objects"] = load.live();
    row["rss_live_bytes"] = resident_bytes();

    {
        const MutatorPauses pauses;
        const int64_t run_cpu_start = process_cpu_ns();
        const int64_t run_start = wall_ns();
        BacklogRecorder backlog;
        MemoryRecorder memory;
        const uint64_t operations = run(load, steps, backlog, memory);
        const int64_t run_ns = wall_ns() - run_start;
        row["run_cpu_ns"] = process_cpu_ns() - run_cpu_start;
        row["run_ns"] = run_ns;
        row["backlog_max"] = backlog.highest();
        row["backlog_mean"] = backlog.mean();
        row["backlog_points"] = backlog.points();
        row["rss_points"] = memory.points();
        row["mutator_ops"] = operations;
        row["ns_per_op"] =
            static_cast<double>(run_ns) / static_cast<double>(std::max(operations, uint64_t{1}));
        row["pauses"] = pauses.summary();
        row["pause_points"] = pauses.points(run_start);
        add_utilisation(row, {pauses.pauses()}, run_start, run_start + run_ns);
        row["time_to_safepoint"] = percentiles(pauses.times_to_safepoint_ns());
        pauses.add_cycles(row);
    }
    row["rss_end_bytes"] = resident_bytes();
    row.take_heap();

    load.drop();
    row["made_unreachable"] = load.unreachable();
    const int64_t drop_start = wall_ns();
    row["collected"] = PyGC_Collect();
    row["garbage_collect_ns"] = wall_ns() - drop_start;
    const bool collects = std::string(Ouro_Setting("engine")) != "off";
    if (collects && load.backlog() != 0) {
        throw std::runtime_error(fmt::format("{} objects are left of {} when all was dropped",
                                             load.backlog(), load.unreachable()));
    }
    return row.finish();
}

void print_steps(const nlohmann::json& row) {
    line("", "", "an operation");
    line("objects alive", row["live_objects"].dump());
    line("operations", row["mutator_ops"].dump());
    line("run", milliseconds(row["run_ns"]), per_object(row["run_ns"], row["mutator_ops"]));
    print_run_cpu(row);
    print_cycles(row);
    line("stopped", per_cent(row["stopped_fraction"]));
    print_backlog(row);
}

}  // namespace ouro::runner
