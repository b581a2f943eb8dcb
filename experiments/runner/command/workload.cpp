#include "experiments/runner/command/workload.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "experiments/runner/bench_ext.hpp"
#include "experiments/runner/counted_phases.hpp"
#include "experiments/runner/decimal.hpp"
#include "experiments/runner/memory_limit.hpp"
#include "experiments/runner/trace_file.hpp"
#include "experiments/workloads/heap_file.hpp"
#include "ouroboros.h"

namespace ouro::runner {

void add_common(CLI::App* app, Common& common) {
    add_settings(*app, common.settings);
    app->add_option("--seed", common.seed, "of what is random in the workload")
        ->check(decimal(0, UINT64_MAX))
        ->capture_default_str();
    app->add_option("--json", common.json,
                    "write the result row as JSON to this file, - for standard output");
    app->add_option("--events", common.events, "append every event to this file (JSONL)");
    app->add_option("--trace", common.trace,
                    "write the collections' phases to this file, for Perfetto");
    if (common.command == "bench") {
        app->add_flag("--force", common.force, kForceHelp);
    }
}

namespace {

// Why it cannot fit in memory; empty if it can, or if it is not known.
std::string too_large(const Common& common) {
    if (common.force || common.memory == nullptr) {
        return {};
    }
    Subject subject;
    subject.settings = {{"engine", Ouro_Setting("engine")}};
    try {
        return does_not_fit(common.memory(subject), memory_limit());
    } catch (const workloads::HeapFileError&) {
        return {};  // whoever reads it says so
    }
}

// Opens what --json names; nullptr, after a message, if that cannot be written.
std::FILE* open_json(const std::string& command, const std::string& json) {
    std::FILE* file = open_output(json.empty() ? "-" : json);
    if (file == nullptr) {
        fmt::print(stderr, "ouro: {} --json {}: {}\n", command, json, std::strerror(errno));
    }
    return file;
}

int write_row(const std::string& command, const nlohmann::json& row, const std::string& json,
              std::FILE* file) {
    if (!write_output(file, row.dump() + "\n")) {
        fmt::print(stderr, "ouro: {} --json {}: {}\n", command, json, std::strerror(errno));
        return kExitFailed;
    }
    return 0;
}

}  // namespace

int run_workload(const std::string& name, const Common& common,
                 const std::function<Measured()>& begin,
                 const std::function<void(const nlohmann::json& row)>& print) {
    if (!configure_from_environment()) {
        return kExitBadArguments;
    }
    configure(common.command, common.settings);
    if (const std::string large = too_large(common); !large.empty()) {
        fmt::print(stderr, "ouro: {} {}: {}; allowed: what fits, or --force\n", common.command,
                   name, large);
        return kExitBadArguments;
    }
    std::FILE* json = open_json(common.command, common.json);
    if (json == nullptr) {
        return kExitBadArguments;
    }
    nlohmann::json row;
    std::optional<CountedPhases> counted;
    try {
        const Measured measure = begin();
        // After it, or processes that it makes would write to the same file.
        if (!common.events.empty() && Ouro_RecordEvents(common.events.c_str()) != 0) {
            fmt::print(stderr, "ouro: {} --events {}: {}\n", common.command, common.events,
                       std::strerror(errno));
            return kExitBadArguments;
        }
        std::optional<TraceFile> trace;
        if (!common.trace.empty()) {
            trace.emplace(common.trace);
        }
        if (std::string_view(Ouro_Setting("counters")) == "on") {
            counted.emplace();
        }
        Py_Initialize();
        row = measure();
        if (trace) {
            trace->close();
        }
    } catch (const ExceptionPrinted&) {
        return kExitFailed;
    } catch (const workloads::HeapFileError& error) {
        fmt::print(stderr, "ouro: {} {} --file: {}\n", common.command, name, error.what());
        return kExitBadArguments;
    } catch (const std::runtime_error& error) {
        fmt::print(stderr, "ouro: {} {}: {}\n", common.command, name, error.what());
        return kExitFailed;
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "ouro: {} {}: out of memory\n", common.command, name);
        return kExitFailed;
    }
    if (counted) {
        row["counters"] = counted->summary();
    }
    row["engine"] = Ouro_Setting("engine");
    row["refcount"] = Ouro_Setting("refcount");
    row["generations"] = Ouro_Setting("generations");
    row["trigger"] = Ouro_Setting("trigger");
    row["seed"] = common.seed;
    row["version"] = Ouro_Version();
    if (Ouro_StopRecordingEvents() != 0) {
        fmt::print(stderr, "ouro: {} --events {}: {}\n", common.command, common.events,
                   std::strerror(errno));
        return kExitFailed;
    }
    if (common.json.empty()) {
        print(row);
        return 0;
    }
    return write_row(common.command, row, common.json, json);
}

}  // namespace ouro::runner
