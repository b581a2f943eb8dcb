#include "experiments/runner/bench_slices.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "experiments/runner/backlog.hpp"
#include "experiments/runner/clock.hpp"
#include "experiments/runner/mutator_pauses.hpp"
#include "experiments/runner/pauses.hpp"
#include "experiments/runner/row.hpp"

namespace ouro::runner {
namespace {

// A clock that is read at the end of each slice, so that no time is between slices, where a collection could hide.
class Slicer {
public:
    // The wall time of one since the last one ended.
    int64_t slice(workloads::Slices& slices, uint32_t operations) {
        for (uint32_t i = 0; i < operations; ++i) {
            slices.step();
        }
        const int64_t end = wall_ns();
        return end - std::exchange(last_ns_, end);
    }
    // The next one begins now. Returns the time.
    int64_t restart() { return last_ns_ = wall_ns(); }
    int64_t last_ns() const { return last_ns_; }

private:
    int64_t last_ns_ = wall_ns();
};

// Of the stops of the world, as the runtime itself tells of them.
nlohmann::json own_pauses(const nlohmann::json& pauses) {
    return {{"source", "events of phase pause"},
            {"count", pauses.at("count")},
            {"total_ns", pauses.at("total_ns")},
            {"wall", pauses.at("wall")}};
}

// What is read while the slices after the warm-up are made.
struct Timed {
    const PauseRecorder pauses{};
    const MutatorPauses cycles{};
    BacklogRecorder backlog{};
    const int64_t cpu_start_ns = process_cpu_ns();

    void add_to(Row& row, int64_t run_ns, uint64_t operations, const workloads::Slices& slices) {
        row["run_cpu_ns"] = process_cpu_ns() - cpu_start_ns;
        row["run_ns"] = run_ns;
        row["mutator_ops"] = operations;
        row["ns_per_op"] = static_cast<double>(run_ns) / static_cast<double>(operations);
        backlog.note(slices.backlog());
        backlog.finish();
        row["backlog_max"] = backlog.highest();
        row["backlog_mean"] = backlog.mean();
        row["backlog_points"] = backlog.points();
        row["pauses"] = pauses.summary();
        row["own_pauses"] = own_pauses(row["pauses"]);
        cycles.add_cycles(row);
    }
};

}  // namespace

nlohmann::json bench_slices(const SlicesOptions& options) {
    Row row("slices");
    row["params"] = {{"live", options.heap.live},         {"slices", options.slices},
                     {"warmup", options.warmup},          {"slice", options.slice},
                     {"shuffled", options.heap.shuffled}, {"seed", options.heap.seed}};

    std::vector<int64_t> samples(options.slices);
    workloads::Slices slices(options.heap);
    row["build_ns"] = wall_ns() - row.wall_start_ns();
    row["live_objects"] = slices.live();
    row["places_checksum"] = slices.places_checksum();
    row["rss_live_bytes"] = resident_bytes();

    Slicer slicer;
    for (uint32_t i = 0; i < options.warmup; ++i) {
        samples[i] = slicer.slice(slices, options.slice);
    }
    {
        Timed timed;
        const int64_t start_ns = slicer.restart();
        for (uint32_t i = options.warmup; i < options.slices; ++i) {
            samples[i] = slicer.slice(slices, options.slice);
            timed.backlog.note(slices.backlog());
        }
        timed.add_to(row, slicer.last_ns() - start_ns,
                     uint64_t{options.slices - options.warmup} * options.slice, slices);
    }
    row["slices"] = {{"operations", options.slice},
                     {"warmup", options.warmup},
                     {"wall", percentiles({samples.begin() + options.warmup, samples.end()})}};
    row["slice_samples_ns"] = samples;
    row["heap_limit_bytes"] = nullptr;  // the heap grows with what is alive
    row["rss_end_bytes"] = resident_bytes();
    row.take_heap();
    row.take_peak();

    if (!slices.intact()) {
        throw std::runtime_error("a ring is not a ring of four any more");
    }
    slices.drop();
    row["made_unreachable"] = slices.unreachable();
    const int64_t drop_start = wall_ns();
    row["collected"] = PyGC_Collect();
    row["garbage_collect_ns"] = wall_ns() - drop_start;
    if (std::string(Ouro_Setting("engine")) != "off" && slices.backlog() != 0) {
        throw std::runtime_error(
            fmt::format("{} objects are left when all was dropped", slices.backlog()));
    }
    row["live_collect_ns"] = nullptr;
    row["live_first_collect_ns"] = nullptr;
    row["live_collect_samples_ns"] = nlohmann::json::array();
    return row.finish();
}

}  // namespace ouro::runner
