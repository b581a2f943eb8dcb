#include "experiments/runner/table.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

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
}

void print_churn(const nlohmann::json& row) {
    line("", "", "an operation");
    line("objects alive", row["live_objects"].dump());
    line("operations", row["mutator_ops"].dump());
    line("run", milliseconds(row["run_ns"]), per_object(row["run_ns"], row["mutator_ops"]));
    line("run, CPU", milliseconds(row["run_cpu_ns"]),
         per_object(row["run_cpu_ns"], row["mutator_ops"]));
    for (const char* generation : {"young", "middle", "full"}) {
        const nlohmann::json& each = row["collections"][generation];
        line(fmt::format("collections, {}", generation).c_str(), each["count"].dump());
        line("  all of them", milliseconds(each["total_ns"]));
    }
    line("backlog, greatest", count(row["backlog_max"]));
    line("backlog, mean", count(row["backlog_mean"]));
}

std::string nanoseconds(const nlohmann::json& ns) {
    return ns.is_null() ? "-" : fmt::format("{:.2f} ns", ns.get<double>());
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
    fmt::print("{} {}\nengine {}, refcount {}, seed {}\n", workload, row["params"].dump(),
               row["engine"].get<std::string>(), row["refcount"].get<std::string>(),
               row["seed"].dump());
    if (row.contains("rounds")) {
        print_team(row);
    } else if (workload == "churn") {
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
    line("process, CPU", milliseconds(row["cpu_ns"]));
}

}  // namespace ouro::runner
