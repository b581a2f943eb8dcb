#include "experiments/runner/run/log.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

namespace ouro::runner {
namespace {

using nlohmann::json;

// Whether it says nothing.
bool is_blank(const json& value) {
    return value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty());
}

// For people: no quotation marks around a text, and what is not known says so.
std::string text_of(const json& object, const char* key) {
    const json value = object.value(key, json());
    if (is_blank(value)) {
        return "unknown";
    }
    return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

std::string log_prologue(const json& meta, const json& row) {
    const json& machine = meta.at("machine");
    const json& build = meta.at("build");
    std::string text;
    const auto line = [&](const std::string& name, const std::string& value) {
        text += fmt::format("# {}: {}\n", name, value);
    };
    line("run", fmt::format("{} of {}, invocation {}{}: {} with {}", text_of(row, "run"),
                            text_of(meta, "title"), text_of(row, "invocation"),
                            row.at("repeat") == 0 ? "" : ", again", text_of(row, "workload"),
                            text_of(row, "subject")));
    line("start", text_of(row, "start"));
    line("command", text_of(row, "command"));
    line("seed", fmt::format("{}, of the order {}", text_of(row, "seed"), text_of(meta, "seed")));
    line("commit",
         text_of(build, "commit") + (build.at("tree_changed") == true ? ", with changes" : ""));
    line("version", text_of(build, "ouro_version"));
    // Another build, an interpreter or a peer is not of that commit and version.
    for (const json& each : meta.at("subjects")) {
        if (each.at("name") == row.at("subject")) {
            line("subject",
                 fmt::format("{} ({})", text_of(each, "program"), text_of(each, "version")));
            if (each.contains("configured")) {
                line("configured", text_of(each, "configured"));
            }
        }
    }
    line("compiler", text_of(build, "compiler"));
    line("flags",
         fmt::format("{} ({}); sanitizers: {}", text_of(build, "flags"),
                     text_of(build, "build_type"),
                     is_blank(build.at("sanitize")) ? "none" : text_of(build, "sanitize")));
    line("kernel", fmt::format("{}, {}", text_of(machine, "kernel"), text_of(machine, "system")));
    line("processor", fmt::format("{}, {} of {} usable, third-level cache {}, governor {}",
                                  text_of(machine, "cpu"), text_of(machine, "usable_cores"),
                                  text_of(machine, "cores"), text_of(machine, "l3_cache"),
                                  text_of(machine, "governor")));
    line("bound to", row.at("pin").is_null() ? "none" : text_of(row, "pin"));
    line("huge pages", text_of(machine, "thp"));
    line("memory", fmt::format("{} MiB", machine.at("memory_bytes").get<size_t>() >> 20));
    line("load", text_of(row, "load"));
    return text;
}

std::string log_end(const json& row) {
    return fmt::format("# end: {}{}{} after {} s; others: {}\n", text_of(row, "status"),
                       is_blank(row.at("reason")) ? "" : ": ",
                       is_blank(row.at("reason")) ? "" : text_of(row, "reason"),
                       row.at("seconds").dump(), row.at("others").dump());
}

void add_to_log(const std::filesystem::path& log, const std::string& text) {
    std::filesystem::create_directories(log.parent_path());
    std::ofstream file(log, std::ios::app);
    file << text;
    file.close();
    if (!file) {
        throw std::runtime_error(log.string() + " cannot be written");
    }
}

}  // namespace ouro::runner
