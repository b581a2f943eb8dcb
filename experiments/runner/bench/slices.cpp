// `slices`: rings of four take the place of others, and the wall time of every few operations is read, as the peers of
// experiments/peers do.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/runner/backlog.hpp"
#include "experiments/runner/clock.hpp"
#include "experiments/runner/mutator_pauses.hpp"
#include "experiments/runner/pauses.hpp"
#include "experiments/runner/row.hpp"
#include "experiments/runner/table.hpp"
#include "experiments/workloads/description.hpp"
#include "experiments/workloads/slices.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;
using workloads::Described;
using workloads::Kind;
using workloads::Parameter;
using workloads::Values;

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
json own_pauses(const json& pauses) {
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

// With automatic collection alone. Throws std::runtime_error if a ring was damaged, or if anything is left when all was
// dropped and collected.
json measure(Row& row, const Values& values, uint64_t seed) {
    const uint32_t count = values.at("slices");
    const uint32_t warmup = values.at("warmup");
    const uint32_t operations = values.at("slice");
    row["params"]["seed"] = seed;
    std::vector<int64_t> samples(count);
    workloads::Slices slices(
        {.live = values.at("live"), .shuffled = values.at("shuffled"), .seed = seed});
    row["build_ns"] = wall_ns() - row.wall_start_ns();
    row["live_objects"] = slices.live();
    row["places_checksum"] = slices.places_checksum();
    row["rss_live_bytes"] = resident_bytes();

    Slicer slicer;
    for (uint32_t i = 0; i < warmup; ++i) {
        samples[i] = slicer.slice(slices, operations);
    }
    {
        Timed timed;
        const int64_t start_ns = slicer.restart();
        for (uint32_t i = warmup; i < count; ++i) {
            samples[i] = slicer.slice(slices, operations);
            timed.backlog.note(slices.backlog());
        }
        timed.add_to(row, slicer.last_ns() - start_ns, uint64_t{count - warmup} * operations,
                     slices);
    }
    row["slices"] = {{"operations", operations},
                     {"warmup", warmup},
                     {"wall", percentiles({samples.begin() + warmup, samples.end()})}};
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
    return row.finish();
}

void print(const json& row) {
    line("", "", "an operation");
    line("objects alive", row["live_objects"].dump());
    line("operations", row["mutator_ops"].dump(), per_object(row["run_ns"], row["mutator_ops"]));
    line("  of a slice", row["slices"]["operations"].dump());
    print_run_cpu(row);
    print_percentiles("a slice", row["slices"]["wall"]);
    print_cycles(row);
    print_backlog(row);
}

std::optional<workloads::Problem> problem(const Values& values, std::string_view prefix) {
    if (values.at("heap-factor") <= 1) {
        return workloads::Problem{"heap-factor", "more than 1"};
    }
    if (values.at("warmup") >= values.at("slices")) {
        return workloads::Problem{
            "warmup", fmt::format("less than {}slices, {}", prefix, values.at("slices").dump())};
    }
    return std::nullopt;
}

// Of an interpreter, an object: to make it, and its part of the full collections, of which there is one
// when a quarter of what is alive was made.
double python_seconds(const Values& values) {
    const double millions = values.at("live").get<double>() / 1e6;
    const bool shuffled = values.at("shuffled").get<bool>();
    return 0.5e-6 + 4 * (shuffled ? std::min(1.4e-6, (0.1 + std::sqrt(millions)) * 1e-6) : 0.2e-6);
}

double seconds(Kind kind, const Values& values) {
    const double made = 4 * values.at("slices").get<double>() * values.at("slice").get<double>() +
                        values.at("live").get<double>();
    const double each = kind == Kind::kPython ? python_seconds(values)
                        : kind == Kind::kOurs ? 0.4e-6
                                              : 0.1e-6;
    return 0.2 + each * made;
}

double bytes(Kind kind, const Values& values) {
    const double factor = kind == Kind::kPeer ? values.at("heap-factor").get<double>() : 1;
    return 42 * factor * values.at("live").get<double>() + 16 * values.at("slices").get<double>();
}

const Described slices({
    .name = "slices",
    .summary = "rings of four take the place of others; the wall time of every few operations",
    .parameters =
        {Parameter::number("live", 100'000, workloads::Slices::kRing, 1 << 30,
                           "containers of the live set"),
         Parameter::number("slices", 4000, 1, 1 << 24, "all that are timed"),
         Parameter::number("warmup", 1000, 0, 1 << 24, "of them the first so many are kept apart"),
         Parameter::number("slice", 250, 1, 1 << 24, "operations of each"),
         Parameter::toggle("shuffled",
                           "any ring is replaced, and what is alive lies in a random order"),
         {.name = "heap-factor",
          .type = Parameter::Type::kDecimal,
          .initial = 3.0,
          .least = 1,
          .greatest = 100,
          .help = "times what is alive: the heap of a runtime that is told its size",
          .scope = Parameter::Scope::kPeers}},
    .size = "live",
    .problem = problem,
    .measure = measure,
    .print = print,
    .script = "slices.py",
    .peers = true,
    .seconds = seconds,
    .bytes = bytes,
    .not_covered =
        "rings of four that die in turn or at random; no other work between allocations; a runtime "
        "that is told the size of its heap is told it in bytes of its own objects",
});

}  // namespace
}  // namespace ouro::runner
