#include "experiments/runner/run/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "experiments/runner/run/identity.hpp"
#include "experiments/runner/run/part.hpp"
#include "experiments/runner/run/record.hpp"
#include "experiments/runner/words.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct Source {
    fs::path directory;
    std::vector<json> rows;
    json meta;
    Shard shard;
    std::string name() const { return directory.string(); }
};

// The digests of `sha256sum`, without where the files lay.
std::vector<std::string> digests_of(const json& build) {
    std::vector<std::string> digests;
    for (const std::string& line : words(build.value("fingerprint", ""), '\n')) {
        digests.push_back(line.substr(0, line.find(' ')));
    }
    std::ranges::sort(digests);
    return digests;
}

// For comparing: where a program lies is the machine's matter.
json without_places(json meta) {
    for (json& each : meta["subjects"]) {
        each.erase("program");
    }
    return meta;
}

// Why a source does not fit to another; empty if it does.
std::string misfit(const Source& source, const Source& first) {
    const std::string key =
        first_difference(without_places(source.meta), without_places(first.meta));
    const auto both = [&](const std::string& what) {
        return fmt::format("its {} is {}, that of {} is {}", what, source.meta.at(what).dump(),
                           first.name(), first.meta.at(what).dump());
    };
    if (key == "seed") {
        return both(key);
    }
    if (key == "overrides") {
        return fmt::format("its overrides are {}, those of {} are {}",
                           source.meta.value(key, json()).dump(), first.name(),
                           first.meta.value(key, json()).dump());
    }
    if (key == "config") {
        return fmt::format("its configuration file is another than that of {}", first.name());
    }
    if (!key.empty()) {
        return fmt::format("its {} are others than those of {}", key, first.name());
    }
    const json& build = source.meta.at("build");
    const json& other = first.meta.at("build");
    for (const char* part : {"ouro_version", "compiler", "build_type", "flags", "sanitize"}) {
        if (build.value(part, json()) != other.value(part, json())) {
            return fmt::format("its build has the {} {}, that of {} {}", part,
                               build.value(part, json()).dump(), first.name(),
                               other.value(part, json()).dump());
        }
    }
    if (digests_of(build) != digests_of(other)) {
        return fmt::format("the ouro command or its library is another than that of {}; shards of "
                           "one experiment are made with copies of one build",
                           first.name());
    }
    if (source.shard.of != first.shard.of) {
        return fmt::format("it is one of {} shards, {} is one of {}", source.shard.of, first.name(),
                           first.shard.of);
    }
    return {};
}

std::string row_problem(const Source& source) {
    const auto foreign = [&](const json& row) {
        return !source.shard.takes(Run{row.at("invocation").get<unsigned>(), 0, 0, 0, 0, 0, false});
    };
    const auto found = std::ranges::find_if(source.rows, foreign);
    return found == source.rows.end()
               ? std::string()
               : fmt::format("it has a row of invocation {}, which is not shard {}/{}'s",
                             found->at("invocation").get<unsigned>(), source.shard.number,
                             source.shard.of);
}

std::vector<Source> read_sources(const std::vector<fs::path>& shards) {
    std::vector<Source> sources;
    std::vector<std::string> wrong;
    for (const fs::path& each : shards) {
        const Record record = Record::look(each);
        const json& meta = record.found_meta();
        const json shard = meta.value("shard", json());
        if (shard.is_null()) {
            wrong.push_back(
                fmt::format("{}: {}", each.string(),
                            meta.contains("machines")
                                ? "was merged already; allowed: what `ouro run --shard` left"
                                : "is no shard; allowed: what `ouro run --shard` left"));
            continue;
        }
        sources.push_back({each,
                           record.rows(),
                           meta,
                           {shard.at("number").get<unsigned>(), shard.at("of").get<unsigned>()}});
    }
    for (size_t i = 0; i < sources.size(); ++i) {
        std::string problem = i == 0 ? std::string() : misfit(sources[i], sources[0]);
        if (problem.empty()) {
            problem = row_problem(sources[i]);
        }
        for (size_t k = 0; k < i && problem.empty(); ++k) {
            if (sources[k].shard == sources[i].shard) {
                problem = fmt::format("is shard {}/{}, as {} is", sources[i].shard.number,
                                      sources[i].shard.of, sources[k].name());
            }
        }
        if (!problem.empty()) {
            wrong.push_back(sources[i].name() + ": " + problem);
        }
    }
    if (!wrong.empty()) {
        throw BadShards(joined(wrong, "\n"));
    }
    return sources;
}

// What is the machine's, the session's and the build's own of one shard.
json machine_of(const Source& source) {
    json entry = {{"directory", source.name()}};
    for (const char* key : {"shard", "machine", "build", "command", "started", "ended", "complete",
                            "same_build", "runs_planned"}) {
        entry[key] = source.meta.value(key, json());
    }
    return entry;
}

json merged_meta(const std::vector<Source>& sources, const std::vector<unsigned>& lacks,
                 const Words& command) {
    json meta = sources[0].meta;
    meta["shard"] = nullptr;
    meta["command"] = command;
    meta["machines"] = json::array();
    meta["sessions"] = json::array();
    meta["runs_planned"] = 0;
    meta["complete"] = lacks.empty();
    meta["same_build"] = true;
    for (const Source& each : sources) {
        const json& other = each.meta;
        meta["machines"].push_back(machine_of(each));
        for (const json& session : other.at("sessions")) {
            meta["sessions"].push_back(session);
        }
        meta["runs_planned"] =
            meta["runs_planned"].get<size_t>() + other.at("runs_planned").get<size_t>();
        for (const char* key : {"complete", "same_build"}) {
            meta[key] = meta[key].get<bool>() && other.value(key, false);
        }
        json& load = meta["machine"]["load_before"];
        load = std::max(load, other.at("machine").at("load_before"));
        meta["started"] = std::min(meta["started"], other.at("started"));
        const json& ended = other.at("ended");
        meta["ended"] =
            meta["ended"].is_null() || ended.is_null() ? json() : std::max(meta["ended"], ended);
    }
    return meta;
}

// The files that rows name: runs have numbers of their own in the plan of all shards.
void copy_files(const Source& source, const fs::path& to) {
    for (const char* folder : {"events", "logs"}) {
        const fs::path from = source.directory / folder;
        if (fs::is_directory(from)) {
            fs::create_directories(to / folder);
            fs::copy(from, to / folder);
        }
    }
    if (fs::exists(source.directory / "micro.json") && !fs::exists(to / "micro.json")) {
        fs::copy_file(source.directory / "micro.json", to / "micro.json");
    }
}

}  // namespace

Merged merge_shards(const std::vector<fs::path>& shards, const fs::path& directory,
                    const Words& command) {
    std::vector<Source> sources = read_sources(shards);
    std::ranges::sort(sources, {}, [](const Source& each) { return each.shard.number; });
    if (fs::exists(directory) && !(fs::is_directory(directory) && fs::is_empty(directory))) {
        throw BadDirectory(
            fmt::format("{} is there already, and not an empty directory", directory.string()));
    }
    Merged merged;
    for (unsigned number = 1; number <= sources[0].shard.of; ++number) {
        if (std::ranges::none_of(sources,
                                 [&](const Source& each) { return each.shard.number == number; })) {
            merged.lacks.push_back(number);
        }
    }
    // Beside it first, so that what has the name is whole.
    fs::path unfinished = directory;
    unfinished += ".unfinished";
    fs::remove_all(unfinished);
    {
        Record record = Record::begin(unfinished);
        for (size_t machine = 0; machine < sources.size(); ++machine) {
            std::map<size_t, bool> results;
            for (json row : sources[machine].rows) {
                row["row"] = record.rows().size();
                row["machine"] = machine;
                results[row.at("run").get<size_t>()] = row.at("status") == "ok";
                record.append(std::move(row));
            }
            const auto planned = sources[machine].meta.at("runs_planned").get<size_t>();
            merged.runs += planned;
            merged.without_result +=
                planned - static_cast<size_t>(std::ranges::count_if(
                              results, [](const auto& entry) { return entry.second; }));
            copy_files(sources[machine], unfinished);
        }
        record.write_meta(merged_meta(sources, merged.lacks, command));
    }
    fs::rename(unfinished, directory);
    return merged;
}

}  // namespace ouro::runner
