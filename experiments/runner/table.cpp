#include "experiments/runner/table.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace ouro::runner {
namespace {

std::string milliseconds(const nlohmann::json& ns) {
    return ns.is_null() ? "-" : fmt::format("{:.3f} ms", ns.get<double>() / 1e6);
}

std::string per_object(const nlohmann::json& ns, const nlohmann::json& objects) {
    const double count = objects.get<double>();
    return count == 0 ? "-" : fmt::format("{:.1f} ns", ns.get<double>() / count);
}

std::string per_container(const nlohmann::json& bytes, const nlohmann::json& containers) {
    const double count = containers.get<double>();
    return count == 0 ? "-" : fmt::format("{:.1f} bytes", bytes.get<double>() / count);
}

std::string mebibytes(const nlohmann::json& bytes) {
    return fmt::format("{:.1f} MiB", bytes.get<double>() / (1 << 20));
}

void line(const char* name, const std::string& value, const std::string& more = "") {
    fmt::print("  {:<24} {:>14} {:>12}\n", name, value, more);
}

std::string count(const nlohmann::json& number) {
    return number.is_null() ? "-" : fmt::format("{:.0f}", number.get<double>());
}

void print_graph(const nlohmann::json& row) {
    const nlohmann::json& live = row["live_objects"];
    line("", "", "an object");
    line("objects alive", live.dump());
    line("collection, first", milliseconds(row["live_first_collect_ns"]),
         per_object(row["live_first_collect_ns"], live));
    line("collection, median", milliseconds(row["live_collect_ns"]),
         per_object(row["live_collect_ns"], live));
    line("collected when dropped", row["collected"].dump());
    line("collection of garbage", milliseconds(row["garbage_collect_ns"]),
         per_object(row["garbage_collect_ns"], row["collected"]));
    if (row.contains("run_ns")) {
        line("operations", row["mutator_ops"].dump());
        line("run", milliseconds(row["run_ns"]));
    }
}

std::string nanoseconds(const nlohmann::json& ns) {
    return ns.is_null() ? "-" : fmt::format("{:.2f} ns", ns.get<double>());
}

std::string per_cent(const nlohmann::json& part) {
    return part.is_null() ? "-" : fmt::format("{:.1f} %", 100 * part.get<double>());
}

// In the unit that suits it.
std::string short_time(const nlohmann::json& ns) {
    return ns.get<double>() < 1e6 ? fmt::format("{:.3f} us", ns.get<double>() / 1e3)
                                  : milliseconds(ns);
}

void print_percentiles(const char* name, const nlohmann::json& each) {
    if (!each["max_ns"].is_null()) {
        line(name, "");
        for (const auto& [text, key] : {std::pair("  p50", "p50_ns"),
                                        {"  p90", "p90_ns"},
                                        {"  p99", "p99_ns"},
                                        {"  p99.9", "p999_ns"},
                                        {"  longest", "max_ns"}}) {
            line(text, short_time(each[key]));
        }
    }
}

// Of mutators under load.
void print_load(const nlohmann::json& row) {
    line("", "", "an operation");
    line("objects alive", row["live_objects"].dump());
    line("operations", row["mutator_ops"].dump(), per_object(row["run_ns"], row["mutator_ops"]));
    line("  due", row["operations_due"].dump());
    line("  a second", count(row["operations_per_s"]));
    line("  a second, engine off", count(row["off_rate_per_s"]));
    line("run, CPU", milliseconds(row["run_cpu_ns"]),
         per_object(row["run_cpu_ns"], row["mutator_ops"]));
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
    line("backlog, greatest", count(row["backlog_max"]));
    line("backlog, mean", count(row["backlog_mean"]));
}

// What came of the candidates.
void print_cycles(const nlohmann::json& row) {
    for (const char* generation : {"young", "middle", "full"}) {
        const nlohmann::json& each = row["collections"][generation];
        line(fmt::format("collections, {}", generation).c_str(), each["count"].dump(),
             milliseconds(each["total_ns"]));
    }
    line("candidates", row["candidates"].dump());
    line("  rejected", row["rejected"].dump());
}

void print_components(const nlohmann::json& row) {
    line("", "", "an object");
    line("objects alive", row["live_objects"].dump());
    line("objects of garbage", row["collected"].dump());
    line("collection of garbage", milliseconds(row["garbage_collect_ns"]),
         per_object(row["garbage_collect_ns"], row["collected"]));
    line("components", row["components"].dump());
    // A test that is cut up is cut between components: a pause is at least that of the largest.
    line("  largest", row["largest_component"].dump());
    print_cycles(row);
}

void print_churn(const nlohmann::json& row) {
    line("", "", "an operation");
    line("objects alive", row["live_objects"].dump());
    line("operations", row["mutator_ops"].dump());
    line("run", milliseconds(row["run_ns"]), per_object(row["run_ns"], row["mutator_ops"]));
    line("run, CPU", milliseconds(row["run_cpu_ns"]),
         per_object(row["run_cpu_ns"], row["mutator_ops"]));
    print_cycles(row);
    line("stopped", per_cent(row["stopped_fraction"]));
    line("backlog, greatest", count(row["backlog_max"]));
    line("backlog, mean", count(row["backlog_mean"]));
}

void print_slices(const nlohmann::json& row) {
    line("", "", "an operation");
    line("objects alive", row["live_objects"].dump());
    line("operations", row["mutator_ops"].dump(), per_object(row["run_ns"], row["mutator_ops"]));
    line("  of a slice", row["slices"]["operations"].dump());
    line("run, CPU", milliseconds(row["run_cpu_ns"]),
         per_object(row["run_cpu_ns"], row["mutator_ops"]));
    print_percentiles("a slice", row["slices"]["wall"]);
    print_cycles(row);
    line("backlog, greatest", count(row["backlog_max"]));
    line("backlog, mean", count(row["backlog_mean"]));
}

// Of threads that make nothing but garbage.
void print_rings(const nlohmann::json& row) {
    line("", "", "a ring");
    line("threads", row["threads"].dump());
    line("rings of all", row["mutator_ops"].dump(), per_object(row["run_ns"], row["mutator_ops"]));
    line("  a second", count(row["operations_per_s"]));
    line("run", milliseconds(row["run_ns"]),
         row["stopped_at_limit"].get<bool>() ? "stopped at the limit" : "");
    line("run, CPU", milliseconds(row["run_cpu_ns"]),
         per_object(row["run_cpu_ns"], row["mutator_ops"]));
    line("dead and not freed", "");
    line("  at most", count(row["backlog_max"]));
    line("  mean", count(row["backlog_mean"]));
    line("memory grew by at most", mebibytes(row["rss_growth_bytes"]));
    print_cycles(row);
}

// Of workloads that threads do at once.
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

void print_young(const nlohmann::json& row) {
    const nlohmann::json& young = row["young_objects"];
    line("", "", "an object");
    line("objects, old", row["live_objects"].dump());
    line("objects, young", young.dump());
    line("collection, all alive", milliseconds(row["live_collect_ns"]),
         per_object(row["live_collect_ns"], young));
    line("collection, all dead", milliseconds(row["garbage_collect_ns"]),
         per_object(row["garbage_collect_ns"], young));
}

void print_gc_collect(const nlohmann::json& row) {
    line("", "", "an object");
    line("objects", row["live_objects"].dump());
    line("collection of garbage", milliseconds(row["garbage_collect_ns"]),
         per_object(row["garbage_collect_ns"], row["collected"]));
}

}  // namespace

void print_table(const nlohmann::json& row) {
    const std::string workload = row["workload"];
    if (workload == "ext") {  // what a program would print; the numbers are for files
        fmt::print("{}\n", row["result"].get<std::string>());
        return;
    }
    fmt::print("{} {}\nengine {}, refcount {}, seed {}\n", workload, row["params"].dump(),
               row["engine"].get<std::string>(), row["refcount"].get<std::string>(),
               row["seed"].dump());
    if (row.contains("rounds")) {
        print_team(row);
    } else if (row.contains("operations_due")) {
        print_load(row);
        print_cycles(row);
    } else if (row.contains("components")) {
        print_components(row);
    } else if (workload == "rings") {
        print_rings(row);
    } else if (workload == "slices") {
        print_slices(row);
    } else if (row.contains("made_unreachable")) {
        print_churn(row);
    } else if (workload == "young") {
        print_young(row);
    } else if (workload == "gc-collect") {
        print_gc_collect(row);
    } else {
        print_graph(row);
    }
    const nlohmann::json& wall = row["pauses"]["wall"];
    if (!wall["max_ns"].is_null()) {
        line("pauses", row["pauses"]["count"].dump());
        line("  p50", milliseconds(wall["p50_ns"]));
        line("  p99", milliseconds(wall["p99_ns"]));
        line("  longest", milliseconds(wall["max_ns"]));
    }
    line("memory before", mebibytes(row["rss_before_bytes"]));
    line("memory at the peak", mebibytes(row["rss_peak_bytes"]));
    line("memory after", mebibytes(row["rss_after_bytes"]));
    line("heap", mebibytes(row["heap_bytes"]));
    if (row.contains("container_bytes")) {
        line("a container", per_container(row["container_bytes"], row["containers"]));
    }
    if (row.contains("captured_container_bytes")) {
        line("  where it was captured",
             per_container(row["captured_container_bytes"], row["containers"]));
    }
    line("collector, CPU", milliseconds(row["collector_cpu_ns"]));
    if (row.contains("forks")) {
        line("  its child processes, beside it", milliseconds(row["child_cpu_ns"]));
    }
    line("process, CPU", milliseconds(row["cpu_ns"]));
}

}  // namespace ouro::runner
