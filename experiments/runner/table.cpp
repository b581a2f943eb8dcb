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

}  // namespace

void print_table(const nlohmann::json& row) {
    const nlohmann::json& live = row["live_objects"];
    fmt::print("{} {}\nengine {}, refcount {}, seed {}\n", row["workload"].get<std::string>(),
               row["params"].dump(), row["engine"].get<std::string>(),
               row["refcount"].get<std::string>(), row["seed"].dump());
    fmt::print("  {:<24} {:>14} {:>12}\n", "", "", "an object");
    line("objects alive", live.dump());
    line("collection, first", milliseconds(row["live_first_collect_ns"]),
         per_object(row["live_first_collect_ns"], live));
    line("collection, median", milliseconds(row["live_collect_ns"]),
         per_object(row["live_collect_ns"], live));
    line("collected when dropped", row["collected"].dump());
    line("collection of garbage", milliseconds(row["garbage_collect_ns"]),
         per_object(row["garbage_collect_ns"], row["collected"]));
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
    line("a container", per_container(row["container_bytes"], row["containers"]));
    if (row.contains("captured_container_bytes")) {
        line("  where it was captured",
             per_container(row["captured_container_bytes"], row["containers"]));
    }
    line("collector, CPU", milliseconds(row["collector_cpu_ns"]));
    line("process, CPU", milliseconds(row["cpu_ns"]));
}

}  // namespace ouro::runner
