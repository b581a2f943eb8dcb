#include "experiments/runner/bench_rings.hpp"

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
#include "experiments/workloads/instance.hpp"
#include "experiments/workloads/rings.hpp"
#include "experiments/workloads/threads.hpp"

namespace ouro::runner {
namespace {

using workloads::Rings;

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

std::vector<Part> run(const RingsOptions& options, Garbage& garbage) {
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

}  // namespace

nlohmann::json bench_rings(const RingsOptions& options) {
    Row row("rings");
    row["params"] = {
        {"threads", options.threads}, {"rings", options.rings}, {"dead_limit", options.dead_limit}};
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
    row["live_collect_ns"] = nullptr;
    row["live_first_collect_ns"] = nullptr;
    row["live_collect_samples_ns"] = nlohmann::json::array();
    return row.finish();
}

}  // namespace ouro::runner
