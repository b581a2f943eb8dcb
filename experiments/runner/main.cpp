// The `ouro` command.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "experiments/runner/bench_graph.hpp"
#include "experiments/runner/build_config.hpp"
#include "experiments/runner/table.hpp"
#include "experiments/workloads/edges.hpp"
#include "experiments/workloads/heap_file.hpp"
#include "ouroboros.h"

namespace {

using ouro::runner::GraphOptions;

constexpr int kBadArguments = 2;
constexpr int kFailed = 1;

// What was found, what is allowed, and the nearest spelling.
[[noreturn]] void refuse(const std::string& place, const std::string& found,
                         const std::string& allowed) {
    const char* nearest = Ouro_NearestWord(found.c_str(), allowed.c_str());
    std::string list = allowed;
    for (size_t at = 0; (at = list.find('|', at)) != std::string::npos;) {
        list.replace(at, 1, ", ");
    }
    fmt::print(stderr, "ouro: {}: found '{}'; allowed: {}{}\n", place, found, list,
               nearest == nullptr ? "" : fmt::format("; did you mean '{}'?", nearest));
    std::exit(kBadArguments);
}

std::string option_names(const CLI::App& app) {
    std::string names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names += (names.empty() ? "--" : "|--") + name;
        }
    }
    return names;
}

std::string subcommand_names(const CLI::App& app) {
    std::string names;
    for (const CLI::App* sub : app.get_subcommands({})) {
        names += (names.empty() ? "" : "|") + sub->get_name();
    }
    return names;
}

// CLI11 collects what it does not know; each is refused with the nearest spelling.
void refuse_extras(const CLI::App& app, const std::string& place) {
    for (const std::string& extra : app.remaining()) {
        if (extra.starts_with("-")) {
            refuse(place, extra, option_names(app));
        }
        const std::string names = subcommand_names(app);
        if (names.empty()) {
            fmt::print(stderr, "ouro: {}: unexpected argument '{}'\n", place, extra);
            std::exit(kBadArguments);
        }
        refuse(place, extra, names);
    }
}

struct BenchOptions {
    std::string engine, refcount, generations, verify, json, events;
    uint64_t seed = 1;
    GraphOptions graph;
    std::string file;
};

void configure(const char* key, const std::string& value) {
    if (value.empty()) {
        return;
    }
    const char* error = nullptr;
    if (Ouro_Configure(fmt::format("{}={}", key, value).c_str(), &error) != 0) {
        refuse(fmt::format("bench --{}", key), value, Ouro_SettingValues(key));
    }
}

// Opens what --json names; nullptr, after a message, if that cannot be written.
std::FILE* open_json(const std::string& json) {
    std::FILE* file = json.empty() || json == "-" ? stdout : std::fopen(json.c_str(), "we");
    if (file == nullptr) {
        fmt::print(stderr, "ouro: bench --json {}: {}\n", json, std::strerror(errno));
    }
    return file;
}

int write_row(const nlohmann::json& row, const std::string& json, std::FILE* file) {
    if (json.empty()) {
        ouro::runner::print_table(row);
        return 0;
    }
    const std::string text = row.dump() + "\n";
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const bool closed = file == stdout ? std::fflush(file) == 0 : std::fclose(file) == 0;
    if (!written || !closed) {
        fmt::print(stderr, "ouro: bench --json {}: {}\n", json, std::strerror(errno));
        return kFailed;
    }
    return 0;
}

int run_bench(BenchOptions& options) {
    const char* bad_environment = nullptr;
    if (Ouro_Configure("", &bad_environment) != 0) {
        fmt::print(stderr, "ouro: {}\n", bad_environment);
        return kBadArguments;
    }
    configure("engine", options.engine);
    configure("refcount", options.refcount);
    configure("generations", options.generations);
    configure("verify", options.verify);
    std::FILE* json = open_json(options.json);
    if (json == nullptr) {
        return kBadArguments;
    }
    if (!options.events.empty() && Ouro_RecordEvents(options.events.c_str()) != 0) {
        fmt::print(stderr, "ouro: bench --events {}: {}\n", options.events, std::strerror(errno));
        return kBadArguments;
    }
    Py_Initialize();
    options.graph.random.seed = options.seed;
    if (!options.file.empty()) {
        options.graph.file = options.file;
    }
    nlohmann::json row;
    try {
        row = ouro::runner::bench_graph(options.graph);
    } catch (const ouro::workloads::HeapFileError& error) {
        fmt::print(stderr, "ouro: bench graph --file: {}\n", error.what());
        return kBadArguments;
    } catch (const std::runtime_error& error) {
        fmt::print(stderr, "ouro: bench graph --file {}: the rebuilt heap differs: {}\n",
                   options.file, error.what());
        return kFailed;
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "ouro: bench graph: out of memory\n");
        return kFailed;
    }
    row["engine"] = Ouro_Setting("engine");
    row["refcount"] = Ouro_Setting("refcount");
    row["seed"] = options.seed;
    row["version"] = Ouro_Version();
    if (Ouro_StopRecordingEvents() != 0) {
        fmt::print(stderr, "ouro: bench --events {}: {}\n", options.events, std::strerror(errno));
        return kFailed;
    }
    return write_row(row, options.json, json);
}

// A decimal number in a range: CLI11 by itself takes 010 for eight and wraps what is too large.
CLI::Validator decimal(uint64_t least, uint64_t greatest) {
    const auto check = [=](const std::string& text) {
        uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool whole = end == text.data() + text.size() && (text.size() == 1 || text[0] != '0');
        return error == std::errc() && whole && value >= least && value <= greatest
                   ? std::string()
                   : fmt::format("found '{}'; allowed: a decimal number from {} to {}", text, least,
                                 greatest);
    };
    return {check, fmt::format("{}..{}", least, greatest)};
}

const CLI::Validator kAnySeed = decimal(0, UINT64_MAX);

void add_graph_parameters(CLI::App* app, ouro::workloads::GraphParameters& graph) {
    app->add_option("--objects", graph.objects, "containers in the graph")
        ->check(decimal(1, 1u << 30))
        ->capture_default_str();
    app->add_option("--degree", graph.degree, "references each of them holds")
        ->check(decimal(0, 2000))
        ->capture_default_str();
    app->add_flag(
        "--shuffled", graph.shuffled,
        "the root list holds them in random order; a captured heap is made in random order");
}

int run_edges(const ouro::workloads::GraphParameters& graph) {
    ouro::workloads::EdgeGenerator edges(graph.objects, graph.seed);
    std::vector<uint32_t> buffer;
    uint64_t left = uint64_t{graph.objects} * graph.degree;
    const auto write = [](const std::vector<uint32_t>& words) {
        return std::fwrite(words.data(), sizeof(uint32_t), words.size(), stdout) == words.size();
    };
    bool written = true;
    while (written && left > 0) {
        buffer.resize(std::min<uint64_t>(left, 1 << 16));
        for (uint32_t& word : buffer) {
            word = edges.next();
        }
        left -= buffer.size();
        written = write(buffer);
    }
    written = written &&
              write(ouro::workloads::root_order(graph.objects, graph.shuffled, graph.seed)) &&
              std::fflush(stdout) == 0;
    if (!written) {
        fmt::print(stderr, "ouro: edges: {}\n", std::strerror(errno));
        return kFailed;
    }
    return 0;
}

void print_list() {
    fmt::print("workloads\n"
               "  graph      a heap that hangs on one list, alive and then dropped; random, or\n"
               "             captured from a Python program (--file)\n"
               "settings\n");
    for (const char* key : {"engine", "refcount", "generations", "verify"}) {
        std::string values = Ouro_SettingValues(key);
        fmt::print("  {:<10} {}\n", key, values);
    }
}

int run_config(bool cflags, bool libs, bool prefix) {
    const auto executable = std::filesystem::canonical("/proc/self/exe");
    const ouro::BuildPaths paths = ouro::build_paths(executable);
    std::string line;
    const auto add = [&](const std::string& word) { line += (line.empty() ? "" : " ") + word; };
    if (prefix) {
        add(paths.prefix.string());
    }
    if (cflags) {
        for (const auto& directory : paths.include_dirs) {
            add("-I" + directory.string());
        }
    }
    if (libs) {
        add("-L" + paths.library_dir.string());
        add("-Wl,-rpath," + paths.library_dir.string());
        add("-louroboros");
    }
    fmt::print("{}\n", line);
    return 0;
}

}  // namespace

namespace {

int run(int argc, char** argv) {
    CLI::App app("Ouroboros: a laboratory for collectors of reference-counted runtimes.", "ouro");
    app.set_version_flag("--version", [] { return std::string("ouro ") + Ouro_Version(); });
    app.allow_extras();

    BenchOptions bench;
    CLI::App* bench_command = app.add_subcommand("bench", "run one workload in this process");
    CLI::App* graph_command = bench_command->add_subcommand(
        "graph", "a heap that hangs on one list: collected alive, then dropped and collected");
    bench_command->allow_extras();
    graph_command->allow_extras();
    add_graph_parameters(graph_command, bench.graph.random);
    CLI::Option* file = graph_command->add_option(
        "--file", bench.file, "a heap captured by experiments/capture/heapgraph.py instead");
    for (const char* random_only : {"--objects", "--degree"}) {
        file->excludes(graph_command->get_option(random_only));
    }
    graph_command
        ->add_option("--collections", bench.graph.collections,
                     "collections with everything alive, after a first that is shown apart")
        ->check(decimal(1, 1'000'000))
        ->capture_default_str();
    graph_command->add_option("--engine", bench.engine, Ouro_SettingValues("engine"));
    graph_command->add_option("--refcount", bench.refcount, Ouro_SettingValues("refcount"));
    graph_command->add_option("--generations", bench.generations,
                              Ouro_SettingValues("generations"));
    graph_command->add_option("--verify", bench.verify, Ouro_SettingValues("verify"));
    graph_command->add_option("--seed", bench.seed, "of the random graph")
        ->check(kAnySeed)
        ->capture_default_str();
    graph_command->add_option("--json", bench.json,
                              "write the result row as JSON to this file, - for standard output");
    graph_command->add_option("--events", bench.events, "append every event to this file (JSONL)");

    ouro::workloads::GraphParameters edges;
    CLI::App* edges_command = app.add_subcommand(
        "edges", "write the random graph's targets and root order as 32-bit numbers");
    edges_command->allow_extras();
    add_graph_parameters(edges_command, edges);
    edges_command->add_option("--seed", edges.seed, "of the random graph")
        ->check(kAnySeed)
        ->capture_default_str();

    CLI::App* list_command = app.add_subcommand("list", "workloads, engines and settings");
    list_command->allow_extras();

    bool cflags = false;
    bool libs = false;
    bool prefix = false;
    CLI::App* config_command =
        app.add_subcommand("config", "how to compile and link a program against this build");
    config_command->allow_extras();
    config_command->add_flag("--cflags", cflags, "compiler flags");
    config_command->add_flag("--libs", libs, "linker flags");
    config_command->add_flag("--prefix", prefix, "where it is");

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {
            return app.exit(error);
        }
        fmt::print(stderr, "ouro: {}\n", error.what());
        return kBadArguments;
    }
    refuse_extras(app, "ouro");
    for (const CLI::App* command : app.get_subcommands()) {
        refuse_extras(*command, command->get_name());
        for (const CLI::App* sub : command->get_subcommands()) {
            refuse_extras(*sub, command->get_name() + " " + sub->get_name());
        }
    }
    if (graph_command->parsed()) {
        return run_bench(bench);
    }
    if (bench_command->parsed()) {
        fmt::print(stderr, "ouro: bench: a workload is missing; allowed: {}\n",
                   subcommand_names(*bench_command));
        return kBadArguments;
    }
    if (edges_command->parsed()) {
        return run_edges(edges);
    }
    if (list_command->parsed()) {
        print_list();
        return 0;
    }
    if (config_command->parsed()) {
        return run_config(cflags || (!libs && !prefix), libs, prefix);
    }
    std::cout << app.help();
    return kBadArguments;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const int status = run(argc, argv);
        std::cout.flush();
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) {
            std::fprintf(stderr, "ouro: standard output: %s\n", std::strerror(errno));
            return kFailed;
        }
        return status;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "ouro: %s\n", error.what());
        return kFailed;
    }
}
