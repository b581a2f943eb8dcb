// `rings`: how much garbage waits at most while threads make nothing else as fast as they can, and how fast they are.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "experiments/runner/backlog.hpp"
#include "experiments/runner/clock.hpp"
#include "experiments/runner/memory_over_time.hpp"
#include "experiments/runner/mutator_pauses.hpp"
#include "experiments/runner/pauses.hpp"
#include "experiments/runner/row.hpp"
#include "experiments/runner/table.hpp"
#include "experiments/workloads/description.hpp"
#include "experiments/workloads/instance.hpp"
#include "experiments/workloads/rings.hpp"
#include "experiments/workloads/threads.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;
using workloads::Described;
using workloads::Kind;
using workloads::Parameter;
using workloads::Values;

using workloads::Rings;

struct Options {
    unsigned threads;
    uint64_t rings;     // of each thread
    size_t dead_limit;  // containers dead and not freed at which all threads stop
};

// Each thread looks after so many rings how many containers are dead and not freed.
constexpr uint64_t kRingsALook = 60;

// What all threads have let go of, and what of it is still there.
class Garbage {
public:
    explicit Garbage(unsigned threads) {
        for (unsigned i = 0; i < threads; ++i) {
            loads_.push_back(std::make_unique<Rings>());
        }
    }
    Rings& of(unsigned worker) { return *loads_[worker]; }
    size_t made() const {
        size_t sum = 0;
        for (const auto& each : loads_) {
            sum += each->unreachable();
        }
        return sum;
    }
    // Any thread. What is made is read first: a thread that is held up between the two finds too few this time, and
    // never too many.
    size_t dead() const {
        const size_t all = made();
        const size_t freed = workloads::instances_deallocated() - freed_before_;
        return all > freed ? all - freed : 0;
    }

private:
    const size_t freed_before_ = workloads::instances_deallocated();
    std::vector<std::unique_ptr<Rings>> loads_;
};

// A thread's part of the run.
struct Part {
    int64_t start_ns = 0;
    int64_t end_ns = 0;
    uint64_t rings = 0;
    size_t most_dead = 0;  // that it saw
};

// Garbage and memory over time, as a thread of no mutator's sees them.
class Watch {
public:
    explicit Watch(const Garbage& garbage) : thread_([this, &garbage] { run(garbage); }) {}
    ~Watch() { end(); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    // Before anything is read.
    void end() {
        if (thread_.joinable()) {
            ended_.store(true, std::memory_order_relaxed);
            thread_.join();
        }
    }
    const BacklogRecorder& backlog() const { return backlog_; }
    const MemoryRecorder& memory() const { return memory_; }

private:
    void run(const Garbage& garbage) {
        while (!ended_.load(std::memory_order_relaxed)) {
            backlog_.note(garbage.dead());
            memory_.note();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        backlog_.finish();
        memory_.finish();
    }

    BacklogRecorder backlog_;
    MemoryRecorder memory_;
    std::atomic<bool> ended_{false};
    std::thread thread_;  // the last: it begins with the others there
};

std::vector<Part> run(const Options& options, Garbage& garbage) {
    std::vector<Part> parts(options.threads);
    std::barrier barrier(options.threads);
    std::atomic<bool> stopped{false};
    workloads::run_threads(options.threads, [&](unsigned worker) {
        Rings& rings = garbage.of(worker);
        Part part;
        workloads::wait_detached([&] { barrier.arrive_and_wait(); });
        part.start_ns = wall_ns();
        const auto look = [&] {
            part.most_dead = std::max(part.most_dead, garbage.dead());
            if (part.most_dead >= options.dead_limit) {
                stopped.store(true, std::memory_order_relaxed);
            }
        };
        while (part.rings < options.rings && !stopped.load(std::memory_order_relaxed)) {
            const uint64_t some = std::min(kRingsALook, options.rings - part.rings);
            for (uint64_t i = 0; i < some; ++i) {
                rings.step();
            }
            part.rings += some;
            look();
        }
        part.end_ns = wall_ns();
        parts[worker] = part;
    });
    return parts;
}

void add_parts(Row& row, const std::vector<Part>& parts, size_t most_dead) {
    int64_t start = INT64_MAX;
    int64_t end = 0;
    uint64_t rings = 0;
    for (const Part& each : parts) {
        start = std::min(start, each.start_ns);
        end = std::max(end, each.end_ns);
        rings += each.rings;
        most_dead = std::max(most_dead, each.most_dead);
    }
    const auto run_ns = static_cast<double>(std::max<int64_t>(end - start, 1));
    row["run_ns"] = end - start;
    row["mutator_ops"] = rings;
    row["ns_per_op"] = run_ns / static_cast<double>(std::max<uint64_t>(rings, 1));
    row["operations_per_s"] = static_cast<double>(rings) * 1e9 / run_ns;
    row["backlog_max"] = most_dead;
}

// A run that reached the limit has a result, too, whose `stopped_at_limit` is true: the collector did not keep up, and
// its rates and memory are those until then. Throws std::runtime_error if anything is left when all was collected.
json measure(Row& row, const Values& values, uint64_t) {
    const Options options{.threads = values.at("threads"),
                          .rings = values.at("rings"),
                          .dead_limit = values.at("dead-limit")};
    row["threads"] = options.threads;
    const size_t rss_before = resident_bytes();
    Garbage garbage(options.threads);
    row["live_objects"] = size_t{options.threads} * Rings::kMost;
    row["build_ns"] = wall_ns() - row.wall_start_ns();
    {
        const MutatorPauses pauses;
        const int64_t cpu_start = process_cpu_ns();
        const int64_t start = wall_ns();
        Watch watch(garbage);
        const std::vector<Part> parts = run(options, garbage);
        watch.end();
        const int64_t end = wall_ns();
        row["run_cpu_ns"] = process_cpu_ns() - cpu_start;
        row["rss_end_bytes"] = resident_bytes();
        row.take_heap();
        row.take_peak();
        add_parts(row, parts, watch.backlog().highest());
        row["rss_growth_bytes"] = std::max(peak_resident_bytes(), rss_before) - rss_before;
        row["backlog_mean"] = watch.backlog().mean();
        row["backlog_points"] = watch.backlog().points();
        row["rss_points"] = watch.memory().points();
        row["pauses"] = pauses.summary();
        row["pause_points"] = pauses.points(start);
        add_utilisation(row, {pauses.pauses()}, start, end);
        row["time_to_safepoint"] = percentiles(pauses.times_to_safepoint_ns());
        pauses.add_cycles(row);
    }
    row["stopped_at_limit"] =
        row["mutator_ops"].get<uint64_t>() < options.rings * uint64_t{options.threads};
    row["made_unreachable"] = garbage.made();

    const int64_t last_start = wall_ns();
    row["collected"] = PyGC_Collect();
    row["garbage_collect_ns"] = wall_ns() - last_start;
    if (std::string(Ouro_Setting("engine")) != "off" && garbage.dead() != 0) {
        throw std::runtime_error(fmt::format("{} objects are left of {} when all was collected",
                                             garbage.dead(), garbage.made()));
    }
    return row.finish();
}

void print(const json& row) {
    line("", "", "a ring");
    line("threads", row["threads"].dump());
    line("rings of all", row["mutator_ops"].dump(), per_object(row["run_ns"], row["mutator_ops"]));
    line("  a second", count(row["operations_per_s"]));
    line("run", milliseconds(row["run_ns"]),
         row["stopped_at_limit"].get<bool>() ? "stopped at the limit" : "");
    print_run_cpu(row);
    line("dead and not freed", "");
    line("  at most", count(row["backlog_max"]));
    line("  mean", count(row["backlog_mean"]));
    line("memory grew by at most", mebibytes(row["rss_growth_bytes"]));
    print_cycles(row);
}

// Threads beyond the processors of a small machine share them.
double seconds(Kind kind, const Values& values) {
    const double each = kind == Kind::kOurs ? 0.6e-6 : 2.5e-6;
    return 0.2 + each * values.at("rings").get<double>() * values.at("threads").get<double>();
}

const Described rings({
    .name = "rings",
    .summary = "threads that make rings and drop them: does the collector keep up?",
    .parameters = {Parameter::number("threads", 1, 1, 64, "that do the same at once"),
                   Parameter::number("rings", 1'000'000, 1, int64_t{1} << 50,
                                     "of each thread, of two to six containers in turn"),
                   Parameter::number("dead-limit", 5'000'000, 1, int64_t{1} << 40,
                                     "containers dead and not freed at which all threads stop")},
    .measure = measure,
    .print = print,
    .script = "rings.py",
    .seconds = seconds,
    .bytes = [](Kind, const Values&) { return double{1 << 20}; },  // where the collector keeps up
    .not_covered =
        "rings of two to six and nothing else: no program makes as much garbage for as little "
        "work, and next to nothing is alive; an interpreter makes it more slowly than compiled "
        "code",
});

}  // namespace
}  // namespace ouro::runner
