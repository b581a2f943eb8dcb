#include "experiments/runner/bench_team.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "experiments/runner/clock.hpp"
#include "experiments/runner/mutator_pauses.hpp"
#include "experiments/runner/row.hpp"
#include "experiments/workloads/churn.hpp"
#include "experiments/workloads/gcbench.hpp"
#include "experiments/workloads/storm.hpp"
#include "experiments/workloads/threads.hpp"

namespace ouro::runner {

struct TeamBench::Plan {
    std::string workload;
    nlohmann::json params;
    TeamOptions team;
    Prepare prepare;
    nlohmann::json live;  // containers of all threads that live as long as the run; null: not told
    // What an operation costs besides; set while the threads are prepared, null if it is not known.
    std::shared_ptr<nlohmann::json> floor_ns_per_op = std::make_shared<nlohmann::json>();
    std::unique_ptr<Crew> crew{};
};

namespace {

using nlohmann::json;
using workloads::Churn;
using workloads::GcBench;
using workloads::Storm;
using workloads::StormObjects;

// A share of a number for each round, at least one.
uint64_t share(uint64_t whole, unsigned rounds) {
    return std::max<uint64_t>(whole / rounds, 1);
}

// Calls `step`, which makes `each` operations, until there are as many as wanted, or for so long.
template <typename Step>
uint64_t repeat(uint64_t operations, int64_t ns, uint64_t each, Step step) {
    const int64_t end = wall_ns() + ns;
    uint64_t done = 0;
    do {
        step();
        done += each;
    } while (ns > 0 ? wall_ns() < end : done < operations);
    return done;
}

int64_t round_ns(const std::optional<uint64_t>& seconds, unsigned rounds) {
    return seconds ? static_cast<int64_t>(*seconds) * 1'000'000'000 / rounds : 0;
}

std::string name_of(Owner owner) {
    return std::ranges::find(owners(), owner, [](const auto& each) { return each.second; })->first;
}

double walk_ns(Storm& storm) {
    constexpr int kChunks = 1000;
    const int64_t start = wall_ns();
    for (int i = 0; i < kChunks; ++i) {
        storm.walk();
    }
    return static_cast<double>(wall_ns() - start) / (kChunks * static_cast<double>(Storm::kChunk));
}

Prepare storm_of(const StormOptions& options, const std::shared_ptr<json>& floor) {
    return [=]() -> Build {
        std::shared_ptr<StormObjects> shared;
        const auto make = [&] { shared = std::make_shared<StormObjects>(options.objects); };
        std::shared_ptr<workloads::BlockedThread> owner;
        switch (options.owner) {
            case Owner::kFirst:
                make();
                break;
            case Owner::kExited:
                workloads::run_in_exited_thread(make);
                break;
            case Owner::kBlocked:
                owner = std::make_shared<workloads::BlockedThread>(make);
                break;
        }
        return [=](unsigned worker) -> Round {
            const auto storm = std::make_shared<Storm>(options.objects, *shared, options.shared,
                                                       options.seed + worker);
            if (worker == 0) {
                *floor = walk_ns(*storm);
            }
            const uint64_t operations = share(options.operations, options.team.rounds);
            const int64_t ns = round_ns(options.seconds, options.team.rounds);
            return [=, owner = owner] {
                return repeat(operations, ns, Storm::kChunk, [&] { storm->run(); });
            };
        };
    };
}

Prepare gcbench_of(const GcBenchOptions& options) {
    return [=]() -> Build {
        return [=](unsigned) -> Round {
            const auto bench = std::make_shared<GcBench>(options.depth, options.array);
            return [=] { return bench->round(); };
        };
    };
}

Prepare churn_of(const ChurnOptions& options, const TeamOptions& team) {
    return [=]() -> Build {
        return [=](unsigned worker) -> Round {
            workloads::ChurnParameters parameters = options.churn;
            parameters.seed += worker;
            const auto churn = std::make_shared<Churn>(parameters);
            const uint64_t size = parameters.cycle_size;
            const uint64_t rings = share((options.objects + size - 1) / size, team.rounds);
            const int64_t ns = round_ns(options.seconds, team.rounds);
            // The clock is read now and then.
            const uint64_t block = ns > 0 ? 64 : 1;
            return [=] {
                return repeat(rings, ns, block, [&] {
                    for (uint64_t i = 0; i < block; ++i) {
                        churn->step();
                    }
                });
            };
        };
    };
}

void add_length(json& params, const std::optional<uint64_t>& seconds, const char* name,
                uint64_t otherwise) {
    if (seconds) {
        params["seconds"] = *seconds;
    } else {
        params[name] = otherwise;
    }
}

double median_of(std::vector<double> values) {
    std::ranges::sort(values);
    const size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// What the rows say of one side, threads or processes.
struct Side {
    std::vector<double> ns_per_op,
        rate;  // a worker's time for an operation; all workers' operations a ns

    void add(const std::vector<Sample>& samples) {
        double ns = 0;
        double operations = 0;
        double sum = 0;
        for (const Sample& each : samples) {
            const auto length =
                static_cast<double>(std::max<int64_t>(each.end_ns - each.start_ns, 1));
            ns += length;
            operations += static_cast<double>(each.operations);
            sum += static_cast<double>(each.operations) / length;
        }
        ns_per_op.push_back(ns / operations);
        rate.push_back(sum);
    }
};

json points_of(const std::vector<Sample>& samples) {
    json points = json::array();
    for (const Sample& each : samples) {
        points.push_back({each.end_ns - each.start_ns, each.operations});
    }
    return points;
}

// The rounds, and what follows from them.
void add_rounds(Row& row, const std::vector<TeamRound>& rounds) {
    Side threads;
    Side processes;
    std::vector<double> ratios;
    json points = json::array();
    int64_t run_ns = 0;
    uint64_t operations = 0;
    for (const TeamRound& round : rounds) {
        threads.add(round.threads);
        json point = {{"threads", points_of(round.threads)}};
        if (!round.processes.empty()) {
            processes.add(round.processes);
            ratios.push_back(threads.rate.back() / processes.rate.back());
            point["processes"] = points_of(round.processes);
        }
        points.push_back(std::move(point));
        int64_t start = INT64_MAX;
        int64_t end = 0;
        for (const Sample& each : round.threads) {
            start = std::min(start, each.start_ns);
            end = std::max(end, each.end_ns);
            operations += each.operations;
        }
        run_ns += end - start;
    }
    row["rounds"] = std::move(points);
    row["run_ns"] = run_ns;
    row["mutator_ops"] = operations;
    row["ns_per_op"] = static_cast<double>(run_ns) / static_cast<double>(operations);
    row["thread_ns_per_op"] = median_of(threads.ns_per_op);
    row["process_ns_per_op"] = ratios.empty() ? json() : json(median_of(processes.ns_per_op));
    row["threads_over_processes"] = ratios.empty() ? json() : json(median_of(ratios));
}

}  // namespace

const std::map<std::string, Owner>& owners() {
    static const std::map<std::string, Owner> all = {
        {"first", Owner::kFirst}, {"exited", Owner::kExited}, {"blocked", Owner::kBlocked}};
    return all;
}

TeamBench::TeamBench(std::unique_ptr<Plan> plan) : plan_(std::move(plan)) {
    plan_->params["threads"] = plan_->team.threads;
    plan_->params["rounds"] = plan_->team.rounds;
    if (plan_->team.threads > 1) {
        plan_->crew = std::make_unique<Crew>(plan_->team.threads, plan_->prepare);
    }
}

TeamBench::TeamBench(const StormOptions& options)
    : TeamBench([&] {
          auto plan = std::make_unique<Plan>();
          plan->workload = "rc-storm";
          plan->params = {{"shared", options.shared},
                          {"objects", options.objects},
                          {"owner", name_of(options.owner)}};
          add_length(plan->params, options.seconds, "operations", options.operations);
          plan->team = options.team;
          plan->prepare = storm_of(options, plan->floor_ns_per_op);
          return plan;
      }()) {}

TeamBench::TeamBench(const GcBenchOptions& options)
    : TeamBench([&] {
          auto plan = std::make_unique<Plan>();
          plan->workload = "gcbench";
          plan->params = {{"depth", options.depth}, {"array", options.array}};
          plan->team = options.team;
          plan->prepare = gcbench_of(options);
          // A tree of this depth and the list.
          plan->live = options.team.threads * (uint64_t{2} << options.depth);
          return plan;
      }()) {}

TeamBench::TeamBench(const ChurnOptions& options, const TeamOptions& team)
    : TeamBench([&] {
          auto plan = std::make_unique<Plan>();
          plan->workload = "churn";
          plan->params = {{"live", options.churn.live},
                          {"replace", options.churn.replace_percent},
                          {"cycle_size", options.churn.cycle_size}};
          add_length(plan->params, options.seconds, "objects", options.objects);
          plan->team = team;
          plan->prepare = churn_of(options, team);
          plan->live = uint64_t{team.threads} * options.churn.live / options.churn.cycle_size *
                       options.churn.cycle_size;
          return plan;
      }()) {}

TeamBench::~TeamBench() = default;

nlohmann::json TeamBench::measure() {
    Row row(plan_->workload.c_str());
    row["params"] = plan_->params;
    row["threads"] = plan_->team.threads;
    row["live_objects"] = plan_->live;
    const size_t tracked_before = tracked_objects();
    {
        const MutatorPauses pauses;
        const int64_t cpu_start = process_cpu_ns();
        const std::vector<TeamRound> rounds =
            run_team(plan_->team.threads, plan_->team.rounds, plan_->prepare, plan_->crew.get());
        row["run_cpu_ns"] = process_cpu_ns() - cpu_start;
        add_rounds(row, rounds);
        row["pauses"] = pauses.summary();
        pauses.add_cycles(row);
    }
    row["floor_ns_per_op"] = *plan_->floor_ns_per_op;
    row.take_heap();
    const int64_t drop_start = wall_ns();
    row["collected"] = PyGC_Collect();
    row["garbage_collect_ns"] = wall_ns() - drop_start;
    const size_t left = tracked_objects();
    if (std::string(Ouro_Setting("engine")) != "off" && left != tracked_before) {
        throw std::runtime_error(fmt::format("{} tracked objects before, {} when all was dropped",
                                             tracked_before, left));
    }
    row["backlog_max"] = nullptr;
    row["live_collect_ns"] = nullptr;
    row["live_first_collect_ns"] = nullptr;
    row["live_collect_samples_ns"] = json::array();
    return row.finish();
}

}  // namespace ouro::runner
