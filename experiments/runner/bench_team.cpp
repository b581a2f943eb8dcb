#include "experiments/runner/bench_team.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "experiments/runner/clock.hpp"
#include "experiments/runner/mutator_pauses.hpp"
#include "experiments/runner/row.hpp"
#include "experiments/runner/table.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;

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

json measure_team(Row& row, const TeamPlan& plan, Crew* crew) {
    row["threads"] = plan.threads;
    row["live_objects"] = plan.live;
    const size_t tracked_before = tracked_objects();
    {
        const MutatorPauses pauses;
        const int64_t cpu_start = process_cpu_ns();
        const std::vector<TeamRound> rounds =
            run_team(plan.threads, plan.rounds, plan.prepare, crew);
        row["run_cpu_ns"] = process_cpu_ns() - cpu_start;
        add_rounds(row, rounds);
        row["pauses"] = pauses.summary();
        pauses.add_cycles(row);
    }
    row["floor_ns_per_op"] = plan.floor_ns_per_op == nullptr ? json() : *plan.floor_ns_per_op;
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
    return row.finish();
}

}  // namespace

workloads::Measure begin_team(TeamPlan plan) {
    std::shared_ptr<Crew> crew;
    if (plan.threads > 1) {
        crew = std::make_shared<Crew>(plan.threads, plan.prepare);
    }
    return [plan = std::move(plan), crew](Row& row) { return measure_team(row, plan, crew.get()); };
}

workloads::Parameter team_threads() {
    return workloads::Parameter::number(
        "threads", 1, 1, 1024,
        "that do the same at once; with more than one, beside as many processes");
}

workloads::Parameter team_rounds() {
    return workloads::Parameter::number("rounds", 5, 1, 1000,
                                        "parts of the run, measured one by one");
}

double team_turns(const workloads::Values& values) {
    const double threads = values.at("threads").get<double>();
    return threads > 1 ? 2 * std::max(1.0, threads / 2) : 1;
}

uint64_t part_of(uint64_t whole, unsigned rounds) {
    return std::max<uint64_t>(whole / rounds, 1);
}

int64_t ns_of_round(const json& seconds, unsigned rounds) {
    return seconds.is_null() ? 0 : seconds.get<int64_t>() * 1'000'000'000 / rounds;
}

void print_team(const nlohmann::json& row) {
    line("", "", "an operation");
    line("threads", row["threads"].dump());
    line("operations of all", row["mutator_ops"].dump());
    line("run", milliseconds(row["run_ns"]), per_object(row["run_ns"], row["mutator_ops"]));
    line("  in a thread", "", nanoseconds(row["thread_ns_per_op"]));
    line("  in a process", "", nanoseconds(row["process_ns_per_op"]));
    line("  without the counting", "", nanoseconds(row["floor_ns_per_op"]));
    const nlohmann::json& ratio = row["threads_over_processes"];
    line("threads over processes",
         ratio.is_null() ? "-" : fmt::format("{:.3f}", ratio.get<double>()));
}

}  // namespace ouro::runner
