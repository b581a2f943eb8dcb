#include "experiments/runner/run/captured.hpp"

#include <vector>

#include "experiments/runner/pauses.hpp"

namespace ouro::runner {

nlohmann::json captured_result(const nlohmann::json& described, const Call& call) {
    const nlohmann::json& collect = described.at("collect");
    const nlohmann::json& python = described.at("python");
    nlohmann::json result = {
        {"params",
         {{"program", described.at("program")},
          {"objects", described.at("objects")},
          {"references", described.at("references")},
          {"kinds", described.at("kinds")},
          {"collections", collect.at("samples_ns").size()}}},
        {"engine", call.subject.name},
        {"refcount", python.at("free_threaded").get<bool>() ? "biased" : "gil"},
        {"live_objects", described.at("tracked_objects")},
        {"containers", described.at("containers")},
        {"references", described.at("references")},
        {"container_bytes", described.at("container_bytes")},
        {"live_collect_ns", collect.at("median_ns")},
        {"live_first_collect_ns", collect.at("first_ns")},
        {"live_collect_samples_ns", collect.at("samples_ns")},
        {"heap_bytes", described.at("bytes")},
        {"version", python.at("build")},
        {"executable", python.at("executable")},
    };
    for (const char* key : {"seed", "collected", "garbage_collect_ns", "pauses", "backlog_max",
                            "rss_before_bytes", "rss_after_bytes", "rss_peak_bytes", "wall_ns",
                            "cpu_ns", "collector_cpu_ns", "mutator_ops"}) {
        result[key] = nullptr;
    }
    return result;
}

Pipe describe_captured(const Call& call) {
    return {{call.subject.program, (call.places.experiments / "capture" / "heapgraph.py").string(),
             "--describe", call.captured.string(), "--json"}};
}

void take_collections(nlohmann::json& result, const nlohmann::json& collect,
                      const nlohmann::json& drop) {
    const std::vector<int64_t> samples = collect.at("wall_ns");
    result["live_collect_samples_ns"] = samples;
    result["live_collect_ns"] = median(samples);
    result["garbage_collect_ns"] = drop.at("collect_ns");
    result["collected"] = drop.at("collected");
}

}  // namespace ouro::runner
