#include "experiments/runner/table.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace ouro::runner {
namespace {

std::string per_container(const nlohmann::json& bytes, const nlohmann::json& containers) {
    const double count = containers.get<double>();
    return count == 0 ? "-" : fmt::format("{:.1f} bytes", bytes.get<double>() / count);
}

// In the unit that suits it.
std::string short_time(const nlohmann::json& ns) {
    return ns.get<double>() < 1e6 ? fmt::format("{:.3f} us", ns.get<double>() / 1e3)
                                  : milliseconds(ns);
}

}  // namespace

void line(const char* name, const std::string& value, const std::string& more) {
    fmt::print("  {:<24} {:>14} {:>12}\n", name, value, more);
}

std::string count(const nlohmann::json& number) {
    return number.is_null() ? "-" : fmt::format("{:.0f}", number.get<double>());
}

std::string milliseconds(const nlohmann::json& ns) {
    return ns.is_null() ? "-" : fmt::format("{:.3f} ms", ns.get<double>() / 1e6);
}

std::string nanoseconds(const nlohmann::json& ns) {
    return ns.is_null() ? "-" : fmt::format("{:.2f} ns", ns.get<double>());
}

std::string per_cent(const nlohmann::json& part) {
    return part.is_null() ? "-" : fmt::format("{:.1f} %", 100 * part.get<double>());
}

std::string mebibytes(const nlohmann::json& bytes) {
    return fmt::format("{:.1f} MiB", bytes.get<double>() / (1 << 20));
}

std::string per_object(const nlohmann::json& ns, const nlohmann::json& objects) {
    const double count = objects.get<double>();
    return count == 0 ? "-" : fmt::format("{:.1f} ns", ns.get<double>() / count);
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

void print_run_cpu(const nlohmann::json& row) {
    line("run, CPU", milliseconds(row["run_cpu_ns"]),
         per_object(row["run_cpu_ns"], row["mutator_ops"]));
    if (row.contains("work_cpu_ns")) {
        line("  without waiting", milliseconds(row["work_cpu_ns"]),
             per_object(row["work_cpu_ns"], row["mutator_ops"]));
    }
}

void print_cycles(const nlohmann::json& row) {
    for (const char* generation : {"young", "middle", "local", "full"}) {
        const nlohmann::json& each = row["collections"][generation];
        line(fmt::format("collections, {}", generation).c_str(), each["count"].dump(),
             milliseconds(each["total_ns"]));
    }
    line("candidates", row["candidates"].dump());
    line("  rejected", row["rejected"].dump());
}

void print_backlog(const nlohmann::json& row) {
    line("backlog, greatest", count(row["backlog_max"]));
    line("backlog, mean", count(row["backlog_mean"]));
}

void print_collections(const nlohmann::json& row) {
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
}

void print_table(const nlohmann::json& row, void (*print)(const nlohmann::json& row)) {
    fmt::print("{} {}\nengine {}, refcount {}, seed {}\n", row["workload"].get<std::string>(),
               row["params"].dump(), row["engine"].get<std::string>(),
               row["refcount"].get<std::string>(), row["seed"].dump());
    print(row);
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
