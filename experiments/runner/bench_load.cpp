#include "experiments/runner/bench_load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "experiments/runner/clock.hpp"
#include "experiments/runner/hiccups.hpp"
#include "experiments/runner/metered.hpp"
#include "experiments/runner/mutator_run.hpp"
#include "experiments/runner/pauses.hpp"
#include "experiments/runner/row.hpp"
#include "experiments/runner/table.hpp"
#include "experiments/runner/team.hpp"
#include "ouroboros.h"

namespace ouro::runner {
namespace {

using nlohmann::json;

// How long a rate is measured. Without a collector nothing is freed: not long.
constexpr double kRateSeconds = 1;
// A gap is worth a look from here on, and a failure of the books if so much of it is not explained.
constexpr int64_t kLongGap = 1'000'000;

// Operations a second of the same mutators in a fork of this process that collects nothing.
double rate_without_collector(const workloads::MakeLoad& make, unsigned threads) {
    const std::string engine = Ouro_Setting("engine");
    const auto set = [](const std::string& value) {
        const char* error = nullptr;
        if (Ouro_Configure(("engine=" + value).c_str(), &error) != 0) {
            throw std::runtime_error(error);
        }
    };
    set("off");  // the fork inherits it
    Crew crew(1, [&]() -> Build {
        return [&](unsigned) -> Round {
            return [&] {
                const MutatorRuns runs =
                    run_mutators(make, {.threads = threads, .seconds = kRateSeconds});
                return static_cast<uint64_t>(static_cast<double>(runs.operations()) * 1e9 /
                                             static_cast<double>(runs.end_ns - runs.start_ns));
            };
        };
    });
    set(engine);
    return static_cast<double>(crew.round().front().operations);
}

void add_gaps(Row& row, const MutatorRuns& runs, const std::vector<Intervals>& pauses,
              const Intervals& hiccups) {
    json points = json::array();
    std::vector<Intervals> all;
    int64_t longest = 0;
    int64_t longest_unexplained = 0;
    uint64_t unexplained = 0;
    for (size_t i = 0; i < runs.mutators.size(); ++i) {
        all.emplace_back();
        for (const Gap& gap : runs.mutators[i]->clock.gaps()) {
            all.back().push_back({gap.start_ns, gap.end_ns});
            longest = std::max(longest, gap.ns());
            if (gap.ns() > kLongGap) {
                const int64_t rest = unexplained_ns(gap, pauses[i], hiccups);
                longest_unexplained = std::max(longest_unexplained, rest);
                unexplained += rest > kLongGap ? 1 : 0;
                points.push_back({gap.start_ns - runs.start_ns, gap.ns(), rest});
            }
        }
        all.back() = united(std::move(all.back()));
    }
    row["gaps"] = {{"count", points.size()},      {"longest_ns", longest},
                   {"unexplained", unexplained},  {"longest_unexplained_ns", longest_unexplained},
                   {"points", std::move(points)}, {"mmu", mmu_of(all, runs.start_ns, runs.end_ns)}};
}

// What the mutators felt.
void add_mutators(Row& row, const MutatorRuns& runs, const Intervals& hiccups) {
    std::vector<Intervals> pauses;
    std::vector<int64_t> to_safepoint;
    Latencies latencies;
    json others = json::array();
    json cpu = json::array();
    for (const auto& each : runs.mutators) {
        Intervals found = each->pauses.pauses();
        // What was before the run, or came after it, is none of its business.
        std::erase_if(found, [&](const Interval& one) {
            return one.end_ns <= runs.start_ns || one.start_ns >= runs.end_ns;
        });
        if (!pauses.empty()) {
            others.push_back(points_of(found, runs.start_ns));
        }
        for (const Interval& one : found) {
            cpu.push_back(one.cpu_ns);
        }
        pauses.push_back(std::move(found));
        latencies.add(each->latencies);
    }
    to_safepoint = runs.mutators.front()->pauses.times_to_safepoint_ns();
    row["pauses"] = summary_of(pauses);
    row["pause_points"] = points_of(pauses.front(), runs.start_ns);
    row["other_pause_points"] = std::move(others);
    row["pause_cpu_samples_ns"] = std::move(cpu);
    add_utilisation(row, pauses, runs.start_ns, runs.end_ns);
    row["time_to_safepoint"] = percentiles(std::move(to_safepoint));
    row["latency"] = latencies.summary();
    add_gaps(row, runs, pauses, hiccups);
    runs.mutators.front()->pauses.add_cycles(row);
}

// What users felt. All arrivals of one rate are evenly spaced already, and known: smoothed over the whole
// run an operation's start is when it was due. Without a rate there are no arrivals; where loads take turns they are not
// evenly spaced.
void add_metered(Row& row, const MutatorRuns& runs, const std::vector<double>& rates) {
    MeteredLatency metered;
    for (const auto& each : runs.mutators) {
        metered.add(each->metered);
    }
    const bool saturated = rates.size() == 1 && rates.front() == 0;
    row["simple_latency"] = saturated ? row["latency"] : json(metered.simple().summary());
    row["metered_latency"] = nullptr;
    if (rates.size() == 1 && !saturated) {
        row["metered_latency"] = metered.summary();
        row["metered_latency"]["full"] = row["latency"];
    }
}

// How much there was of what, and when.
void add_amounts(Row& row, const MutatorRuns& runs) {
    uint64_t due = 0;
    for (const auto& each : runs.mutators) {
        due += each->due;
    }
    const int64_t run_ns = runs.end_ns - runs.start_ns;
    const auto operations = static_cast<double>(std::max<uint64_t>(runs.operations(), 1));
    row["live_objects"] = runs.live;
    row["run_ns"] = run_ns;
    row["run_cpu_ns"] = runs.cpu_ns;
    row["work_cpu_ns"] = runs.cpu_ns - runs.waiting_ns();
    row["mutator_ops"] = runs.operations();
    row["operations_due"] = due;
    row["ns_per_op"] = static_cast<double>(run_ns) / operations;
    row["operations_per_s"] = operations * 1e9 / static_cast<double>(run_ns);
    row["backlog_max"] = runs.backlog->highest();
    row["backlog_mean"] = runs.backlog->mean();
    row["backlog_points"] = runs.backlog->points();
    row["rss_points"] = runs.memory->points();
}

}  // namespace

LoadBench::LoadBench(std::string workload, nlohmann::json params, workloads::MakeLoad make,
                     const LoadOptions& options)
    : workload_(std::move(workload)), params_(std::move(params)), make_(std::move(make)),
      options_(options) {
    params_["threads"] = options.threads;
    params_["seconds"] = options.seconds;
    params_["load"] = options.load;
    const std::vector<Load> loads = parse_load(options.load).value();
    for (const Load& load : loads) {
        if (load.percent && off_rate_ == 0) {
            off_rate_ = rate_without_collector(make_, options.threads);
        }
        rates_.push_back(load.rate      ? static_cast<double>(*load.rate)
                         : load.percent ? off_rate_ * *load.percent / 100
                                        : 0);
    }
}

nlohmann::json LoadBench::measure() {
    Row row(workload_.c_str());
    row["params"] = params_;
    row["threads"] = options_.threads;
    row["rate_per_s"] = rates_.size() == 1 && rates_.front() > 0 ? json(rates_.front()) : json();
    row["turn_rates_per_s"] = rates_.size() > 1 ? json(rates_) : json();
    row["off_rate_per_s"] = off_rate_ > 0 ? json(off_rate_) : json();
    {
        HiccupMeter hiccups;
        MutatorRuns runs = run_mutators(make_, {.threads = options_.threads,
                                                .seconds = static_cast<double>(options_.seconds),
                                                .rates = rates_,
                                                .at_end = [&] {
                                                    row["rss_end_bytes"] = resident_bytes();
                                                    row.take_heap();
                                                    row.take_peak();
                                                }});
        hiccups.end();
        row["hiccups"] = hiccups.summary();
        add_mutators(row, runs, hiccups.hiccups());
        add_metered(row, runs, rates_);
        add_amounts(row, runs);
        row["build_ns"] = runs.start_ns - row.wall_start_ns();

        const int64_t drop_start = wall_ns();
        row["collected"] = PyGC_Collect();
        row["garbage_collect_ns"] = wall_ns() - drop_start;
        const size_t left = runs.backlog_now();
        if (std::string(Ouro_Setting("engine")) != "off" && left != 0) {
            throw std::runtime_error(fmt::format("{} objects are left when all was dropped", left));
        }
    }
    return row.finish();
}

void print_load(const nlohmann::json& row) {
    line("", "", "an operation");
    line("objects alive", row["live_objects"].dump());
    line("operations", row["mutator_ops"].dump(), per_object(row["run_ns"], row["mutator_ops"]));
    line("  due", row["operations_due"].dump());
    line("  a second", count(row["operations_per_s"]));
    line("  a second, engine off", count(row["off_rate_per_s"]));
    print_run_cpu(row);
    print_percentiles("latency of an operation", row["latency"]);
    print_percentiles("pauses, merged", row["merged_pauses"]["wall"]);
    print_percentiles("pauses, merged, CPU", row["merged_pauses"]["cpu"]);
    line("stopped", per_cent(row["stopped_fraction"]));
    for (const char* window : {"1ms", "10ms", "100ms"}) {
        line(fmt::format("least left of {}", window).c_str(), per_cent(row["mmu"][window]),
             per_cent(row["gaps"]["mmu"][window]));
    }
    const nlohmann::json& gaps = row["gaps"];
    line("gaps over 1 ms", gaps["count"].dump());
    line("  longest", milliseconds(gaps["longest_ns"]));
    line("  nobody explains", gaps["unexplained"].dump());
    line("hiccup, p99", milliseconds(row["hiccups"]["p99_ns"]));
    line("hiccup, longest", milliseconds(row["hiccups"]["max_ns"]));
    print_backlog(row);
    print_cycles(row);
}

}  // namespace ouro::runner
