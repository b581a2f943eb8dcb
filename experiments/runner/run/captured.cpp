#include "experiments/runner/run/captured.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/runner/bench/graph.hpp"
#include "experiments/runner/pauses.hpp"
#include "experiments/runner/words.hpp"

namespace ouro::runner {
namespace {

using workloads::Values;

// What arguments ask for is not known.
double seconds(workloads::Kind kind, const Values& values) {
    const double captured = values.at("program") == "imports"  ? 2.5
                            : values.at("arguments").is_null() ? 9.0
                                                               : 5.0;
    return (kind == workloads::Kind::kOurs ? 0.22 : 1) * captured;
}

// What a program's heap is, is known when it was captured: `ouro bench graph --file` looks at that.
double bytes(workloads::Kind, const Values&) {
    return 1 << 26;
}

std::string title(const Values& values) {
    return "heap:" + values.at("program").get<std::string>() +
           (values.at("free_threaded").get<bool>() ? "-free-threaded" : "") +
           (values.at("shuffled").get<bool>() ? "-shuffled" : "");
}

}  // namespace

Workload captured_heap() {
    return {.name = "heap",
            .summary = "the heap of a Python program, captured anew in each invocation",
            .parameters = {{.name = "program",
                            .type = Parameter::Type::kWord,
                            .initial = "ast_stdlib",
                            .allowed = scripts_in(places().experiments / "capture" / "programs")},
                           {.name = "arguments", .type = Parameter::Type::kText},
                           Parameter::toggle("shuffled", "it is made again in random order"),
                           Parameter::toggle("free_threaded",
                                             "by the first interpreter without a lock"),
                           Parameter::collections(5, "with everything alive")},
            .captures = true,
            .seconds = seconds,
            .bytes = bytes,
            .title = title,
            .not_covered =
                "a captured heap stands still: its program does not run; finalizers and weak "
                "references are not in it"};
}

Words server_words(const Call& call) {
    const std::filesystem::path capture = call.places.experiments / "capture";
    const std::string program = call.parameters.at("program").get<std::string>() + ".py";
    Words command = {call.subject.program, (capture / "heapgraph.py").string(), "--serve",
                     (capture / "programs" / program).string()};
    const nlohmann::json& arguments = call.parameters.at("arguments");
    if (!arguments.is_null()) {
        const Words given = words(arguments.get<std::string>(), ' ');
        command.insert(command.end(), given.begin(), given.end());
    }
    return command;
}

Steps captured_commands(const Call& call) {
    if (call.subject.kind != Subject::Kind::kOurs) {
        return {{server_words(call)}};
    }
    Words command = bench_words(call, graph_description().name);
    command.insert(command.end(), {"--file", call.captured.string()});
    add_flags(command, call.parameters, {"shuffled", "collections"});
    add_seed(command, call);
    return {{command}};
}

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
