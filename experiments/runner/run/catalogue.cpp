#include "experiments/runner/run/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <string_view>

#include "experiments/runner/build_config.hpp"
#include "experiments/runner/run/captured.hpp"
#include "experiments/runner/words.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;
using Type = Parameter::Type;

constexpr int64_t kMostObjects = int64_t{1} << 30;

// The flags of some parameters, in this order. A switch is a flag of its own, null is none.
void add_flags(Words& words, const json& parameters,
               std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
        const json& value = parameters.at(std::string(name));
        if (value.is_boolean() ? !value.get<bool>() : value.is_null()) {
            continue;
        }
        words.push_back("--" + std::string(name));
        if (!value.is_boolean()) {
            words.push_back(value.is_string() ? value.get<std::string>() : value.dump());
        }
    }
}

void add_seed(Words& words, const Call& call) {
    words.insert(words.end(), {"--seed", std::to_string(call.seed)});
}

// `ouro bench WORKLOAD` with the subject's settings; the caller adds the workload's own flags.
Words bench(const Call& call, std::string_view workload) {
    Words words = {call.subject.program, "bench", std::string(workload)};
    for (const auto& [key, value] : call.subject.settings) {
        words.insert(words.end(), {"--" + key, value});
    }
    if (!call.events.empty()) {
        words.insert(words.end(), {"--events", call.events.string()});
    }
    if (call.force) {
        words.push_back("--force");
    }
    words.insert(words.end(), {"--json", "-"});
    return words;
}

// A script under its interpreter: -I -S, because each module that is loaded adds containers.
Words script_of(const Call& call, std::string_view name) {
    return {call.subject.program, "-I", "-S",
            (call.places.experiments / "peers" / "cpython" / name).string()};
}

Steps graph_ours(const Call& call) {
    Words words = bench(call, "graph");
    add_flags(words, call.parameters, {"objects", "degree", "shuffled", "mutate", "collections"});
    add_seed(words, call);
    return {{words}};
}

Steps graph_peer(const Call& call) {
    Words edges = {call.places.ouro, "edges"};
    add_flags(edges, call.parameters, {"objects", "degree", "shuffled", "mutate", "collections"});
    add_seed(edges, call);
    Words graph = script_of(call, "graph.py");
    add_flags(graph, call.parameters, {"objects", "degree", "shuffled", "mutate", "collections"});
    add_seed(graph, call);
    graph.insert(graph.end(), {"--edges", "-"});
    return {{edges, graph}};
}

// Figures of one 2.6 GHz machine; the time left is corrected by what runs really take.
double graph_seconds(Subject::Kind kind, const json& parameters) {
    const double millions = parameters.at("objects").get<double>() / 1e6;
    const bool shuffled = parameters.at("shuffled").get<bool>();
    const bool ours = kind == Subject::Kind::kOurs;
    const double python = shuffled ? std::min(2.2, 0.4 + 0.9 * std::pow(millions, 0.35)) : 0.3;
    const double collection = ours ? (shuffled ? 0.10 : 0.07) : python;
    return 0.05 + millions * ((ours ? 0.2 : 1.6) +
                              collection * (parameters.at("collections").get<double>() + 3));
}

double graph_bytes(Subject::Kind, const json& parameters) {
    return parameters.at("objects").get<double>() *
           (45 + 7 * parameters.at("degree").get<double>());
}

// Containers that churn makes: the live set is replaced about four times, unless it is said.
std::string churn_objects(const json& parameters) {
    const json& objects = parameters.at("objects");
    return std::to_string(objects.is_null() ? 40 * parameters.at("live").get<int64_t>()
                                            : objects.get<int64_t>());
}

bool several_threads(const json& parameters) {
    return parameters.at("threads") > 1;
}

bool always(const json&) {
    return true;
}

void add_churn_flags(Words& words, const Call& call) {
    add_flags(words, call.parameters, {"live", "replace", "cycle-size"});
    words.insert(words.end(), {"--objects", churn_objects(call.parameters)});
    add_seed(words, call);
}

Steps churn_ours(const Call& call) {
    Words words = bench(call, "churn");
    add_churn_flags(words, call);
    add_flags(words, call.parameters, {"threads"});
    return {{words}};
}

Steps churn_peer(const Call& call) {
    Words places = {call.places.ouro, "places"};
    add_churn_flags(places, call);
    Words churn = script_of(call, "churn.py");
    add_churn_flags(churn, call);
    return {{places, churn}};
}

std::string churn_problem(const json& parameters) {
    return parameters.at("live") >= parameters.at("cycle-size")
               ? ""
               : fmt::format("live: found {}; allowed: at least cycle-size, {}",
                             parameters.at("live").dump(), parameters.at("cycle-size").dump());
}

double churn_seconds(Subject::Kind kind, const json& parameters) {
    return 0.1 +
           (kind == Subject::Kind::kOurs ? 1 : 3) * 0.15e-6 * std::stod(churn_objects(parameters));
}

double churn_bytes(Subject::Kind, const json& parameters) {
    return (38 + 8 / parameters.at("cycle-size").get<double>()) *
           parameters.at("live").get<double>();
}

// Threads and, with more than one, as many processes: both in turn, on two cores.
double turns(const json& parameters) {
    const double threads = parameters.at("threads").get<double>();
    return threads > 1 ? 2 * std::max(1.0, threads / 2) : 1;
}

double storm_seconds(Subject::Kind, const json& parameters) {
    return 0.1 + 15e-9 * parameters.at("operations").get<double>() * turns(parameters);
}

double storm_bytes(Subject::Kind, const json& parameters) {
    return 40 * parameters.at("objects").get<double>() *
           (parameters.at("threads").get<double>() + 1);
}

// Nodes of the trees of one depth, there and back.
double gcbench_nodes(const json& parameters) {
    return std::pow(2.0, parameters.at("depth").get<double>() + 3);
}

double gcbench_seconds(Subject::Kind, const json& parameters) {
    const double depths = (parameters.at("depth").get<double>() - 2) / 2;
    return 0.1 + 120e-9 * (4 * depths + 1) * gcbench_nodes(parameters) *
                     parameters.at("rounds").get<double>() * turns(parameters);
}

double gcbench_bytes(Subject::Kind, const json& parameters) {
    return (40 * gcbench_nodes(parameters) + 24 * parameters.at("array").get<double>()) *
           parameters.at("threads").get<double>();
}

double young_seconds(Subject::Kind kind, const json& parameters) {
    return 0.1 +
           (kind == Subject::Kind::kOurs ? 1 : 3) * 0.3e-6 * parameters.at("old").get<double>();
}

double young_bytes(Subject::Kind, const json& parameters) {
    return 50 * (parameters.at("old").get<double>() + parameters.at("young").get<double>());
}

double gc_collect_objects(const json& parameters) {
    return parameters.at("cycles").get<double>() * (parameters.at("links").get<double>() + 1);
}

double gc_collect_seconds(Subject::Kind kind, const json& parameters) {
    const double each = kind == Subject::Kind::kOurs ? 0.2e-6 : 0.8e-6;
    return 0.05 + parameters.at("collections").get<double>() *
                      (1e-3 + each * gc_collect_objects(parameters));
}

double gc_collect_bytes(Subject::Kind, const json& parameters) {
    return 40 * gc_collect_objects(parameters);
}

double gc_traversal_references(const json& parameters) {
    const double levels = parameters.at("levels").get<double>();
    return levels * levels / 2;
}

double gc_traversal_seconds(Subject::Kind, const json& parameters) {
    return 0.05 +
           parameters.at("collections").get<double>() * 2e-9 * gc_traversal_references(parameters);
}

double gc_traversal_bytes(Subject::Kind, const json& parameters) {
    return 8 * gc_traversal_references(parameters);
}

double btree_seconds(Subject::Kind kind, const json& parameters) {
    const double nodes = parameters.at("nodes").get<double>();
    const bool ours = kind == Subject::Kind::kOurs;
    return 0.1 + nodes * ((ours ? 3e-6 : 20e-6) +
                          (ours ? 0.2e-6 : 0.6e-6) * parameters.at("collections").get<double>());
}

double btree_bytes(Subject::Kind, const json& parameters) {
    return 400 * parameters.at("nodes").get<double>();
}

double cycles_seconds(Subject::Kind, const json& parameters) {
    return 0.1 + 0.5e-6 * parameters.at("objects").get<double>() *
                     parameters.at("collections").get<double>();
}

double cycles_bytes(Subject::Kind, const json& parameters) {
    return 37 * (parameters.at("objects").get<double>() + parameters.at("live").get<double>());
}

// Threads beyond the processors of a small machine share them.
double rings_made(const json& parameters) {
    return parameters.at("rings").get<double>() * parameters.at("threads").get<double>();
}

double rings_seconds(Subject::Kind kind, const json& parameters) {
    const double each = kind == Subject::Kind::kOurs ? 0.6e-6 : 2.5e-6;
    return 0.2 + each * rings_made(parameters);
}

// Where the collector keeps up.
double rings_bytes(Subject::Kind, const json&) {
    return 1 << 20;
}

// "cycles:chain": each shape is a workload of its own.
std::string cycles_title(const json& parameters) {
    return "cycles:" + parameters.at("shape").get<std::string>();
}

Steps heap_ours(const Call& call) {
    Words words = bench(call, "graph");
    words.insert(words.end(), {"--file", call.captured.string()});
    add_flags(words, call.parameters, {"shuffled", "collections"});
    add_seed(words, call);
    return {{words}};
}

// The program, kept alive, as `capture/SERVE.md` has it.
Words heap_server(const Call& call) {
    const std::filesystem::path capture = call.places.experiments / "capture";
    const std::string program = call.parameters.at("program").get<std::string>() + ".py";
    Words words = {call.subject.program, (capture / "heapgraph.py").string(), "--serve",
                   (capture / "programs" / program).string()};
    const json& arguments = call.parameters.at("arguments");
    if (!arguments.is_null()) {
        const Words given = ouro::runner::words(arguments.get<std::string>(), ' ');
        words.insert(words.end(), given.begin(), given.end());
    }
    return words;
}

// What arguments ask for is not known.
double heap_seconds(Subject::Kind kind, const json& parameters) {
    const double captured = parameters.at("program") == "imports"  ? 2.5
                            : parameters.at("arguments").is_null() ? 9.0
                                                                   : 5.0;
    return (kind == Subject::Kind::kOurs ? 0.22 : 1) * captured;
}

// What a program's heap is, is known when it was captured: `ouro bench graph --file` looks at that.
double heap_bytes(Subject::Kind, const json&) {
    return 1 << 26;
}

std::string heap_title(const json& parameters) {
    return "heap:" + parameters.at("program").get<std::string>() +
           (parameters.at("shuffled").get<bool>() ? "-shuffled" : "");
}

std::vector<std::string> captured_programs() {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(
             places().experiments / "capture" / "programs", error)) {
        if (entry.path().extension() == ".py") {
            names.push_back(entry.path().stem());
        }
    }
    std::ranges::sort(names);
    return names;
}

// Every parameter, and the seed: what a workload takes that is not said to take anything else.
void add_all_flags(Words& words, const Workload& workload, const Call& call) {
    for (const Parameter& each : workload.parameters) {
        if (!each.peers_alone || call.subject.kind == Subject::Kind::kPeer) {
            add_flags(words, call.parameters, {each.name});
        }
    }
    add_seed(words, call);
}

// A variant of a peer, with what it needs in its environment.
Words variant_of(const Subject& subject) {
    Words words;
    for (const auto& [key, value] : subject.environment) {
        words.push_back(fmt::format("{}={}", key, value));
    }
    if (!words.empty()) {
        words.insert(words.begin(), "/usr/bin/env");
    }
    words.push_back(subject.program);
    words.insert(words.end(), subject.arguments.begin(), subject.arguments.end());
    return words;
}

}  // namespace

Steps Workload::commands(const Call& call) const {
    if (call.subject.kind == Subject::Kind::kPeer) {
        Words words = variant_of(call.subject);
        add_all_flags(words, *this, call);
        return {{words}};
    }
    const bool own = call.subject.kind == Subject::Kind::kOurs;
    if (own ? ours != nullptr : peer != nullptr) {
        return own ? ours(call) : peer(call);
    }
    if (!own && captures()) {
        return {{server(call)}};
    }
    Words words = own ? bench(call, name) : script_of(call, script);
    add_all_flags(words, *this, call);
    if (!own && numbers) {
        Words generator = {call.places.ouro, "numbers"};
        add_seed(generator, call);
        return {{generator, words}};
    }
    return {{words}};
}

double Workload::memory(const Subject& subject, const json& values) const {
    constexpr double kProgram = 8 << 20;
    const bool collects =
        std::ranges::find(subject.settings, std::pair<std::string, std::string>("engine", "off")) ==
        subject.settings.end();
    return kProgram + bytes(subject.kind, values) +
           (collects || uncollected == nullptr ? 0 : uncollected(values));
}

const Workload* find_workload(const std::string& name) {
    const auto found = std::ranges::find(catalogue(), name, &Workload::name);
    return found == catalogue().end() ? nullptr : &*found;
}

Places places() {
    const std::filesystem::path program = std::filesystem::canonical("/proc/self/exe");
    const BuildPaths build = build_paths(program);
    return {program, build.library_dir / "libouroboros.so", build.experiments_dir,
            program.parent_path().parent_path() / "peers"};
}

namespace {

std::vector<Workload> single_workloads() {
    return {
        {.name = "graph",
         .summary = "a random graph on one list, collected alive, then dropped and collected",
         .parameters = {{"objects", Type::kNumber, 1'000'000, 1, kMostObjects},
                        {"degree", Type::kNumber, 3, 1, 2000},
                        {"shuffled", Type::kSwitch, false},
                        {"mutate", Type::kNumber, 0, 0, 100},
                        {"collections", Type::kNumber, 5, 1, 1'000'000}},
         .ours = graph_ours,
         .peer = graph_peer,
         .seconds = graph_seconds,
         .bytes = graph_bytes,
         .size = "objects",
         .not_covered =
             "a heap of one kind of object with a fixed number of references, collected on "
             "request; nothing runs meanwhile"},
        {.name = "churn",
         .summary = "a live set of rings, a part of it replaced by new ones; automatic collection",
         .parameters = {{"live", Type::kNumber, 100'000, 1, kMostObjects},
                        {"replace", Type::kNumber, 10, 0, 100},
                        {"cycle-size", Type::kNumber, 4, 1, 1 << 20},
                        {"objects", Type::kNumber, nullptr, 1, int64_t{1} << 50},
                        {"threads", Type::kNumber, 1, 1, 1024}},
         .ours = churn_ours,
         .peer = churn_peer,
         .seconds = churn_seconds,
         .bytes = churn_bytes,
         .size = "live",
         .problem = churn_problem,
         .ours_alone = several_threads,
         .not_covered =
             "rings of one size and a live set of one age; no finalizers, no weak references, "
             "little computation between allocations"},
        {.name = "young",
         .summary = "collections of young objects alone, alive and dead, beside an old heap",
         // 2000: the threshold of a young collection, ours and CPython's from 3.13 on.
         .parameters = {{"old", Type::kNumber, 1'000'000, 4, kMostObjects},
                        {"young", Type::kNumber, 2000, 4, kMostObjects},
                        {"collections", Type::kNumber, 30, 1, 1'000'000}},
         .script = "young.py",
         .seconds = young_seconds,
         .bytes = young_bytes,
         .size = "old",
         .not_covered = "collections on request; the young have one shape and one age"},
        {.name = "gc-collect",
         .summary = "full collections of rings that were dropped: pyperformance's gc_collect",
         .parameters = {{"cycles", Type::kNumber, 100, 1, 1 << 24},
                        {"links", Type::kNumber, 20, 1, 1 << 20},
                        {"collections", Type::kNumber, 100, 1, 1'000'000}},
         .script = "gc_collect.py",
         .seconds = gc_collect_seconds,
         .bytes = gc_collect_bytes,
         .size = "cycles",
         .not_covered = "rings that nothing else refers to, on request"},
        {.name = "gc-traversal",
         .summary = "full collections of long lists, alive: pyperformance's gc_traversal",
         .parameters = {{"levels", Type::kNumber, 1000, 1, 100'000},
                        {"collections", Type::kNumber, 20, 1, 1'000'000}},
         .script = "gc_traversal.py",
         .seconds = gc_traversal_seconds,
         .bytes = gc_traversal_bytes,
         .size = "levels",
         .not_covered = "lists of lists that are all alive, on request"},
        {.name = "heap",
         .summary = "the heap of a Python program, captured anew in each invocation",
         .parameters = {{"program", Type::kWord, "ast_stdlib", 0, 0, captured_programs()},
                        {"arguments", Type::kText, nullptr},
                        {"shuffled", Type::kSwitch, false},
                        {"collections", Type::kNumber, 5, 1, 1'000'000}},
         .ours = heap_ours,
         .seconds = heap_seconds,
         .bytes = heap_bytes,
         .title = heap_title,
         .server = heap_server,
         .not_covered =
             "a captured heap stands still: its program does not run; finalizers and weak "
             "references are not in it"},
        {.name = "rc-storm",
         .summary = "nothing but counting: references to objects of a thread's own, or shared",
         .parameters = {{"threads", Type::kNumber, 1, 1, 1024},
                        {"shared", Type::kNumber, 0, 0, 100},
                        {"objects", Type::kNumber, 1000, 1, kMostObjects},
                        {"owner", Type::kWord, "first", 0, 0, {"first", "exited", "blocked"}},
                        {"operations", Type::kNumber, 100'000'000, 1, int64_t{1} << 50},
                        {"rounds", Type::kNumber, 5, 1, 1000}},
         .seconds = storm_seconds,
         .bytes = storm_bytes,
         .size = "objects",
         .ours_alone = always,
         .not_covered = "counting and nothing else: no allocation, no collection"},
        {.name = "gcbench",
         .summary = "binary trees of all sizes that die at once, beside a tree and an array",
         .parameters = {{"threads", Type::kNumber, 1, 1, 1024},
                        {"depth", Type::kNumber, 16, 4, 24},
                        {"array", Type::kNumber, 500'000, 1, 1 << 28},
                        {"rounds", Type::kNumber, 5, 1, 1000}},
         .seconds = gcbench_seconds,
         .bytes = gcbench_bytes,
         .size = "depth",
         .ours_alone = always,
         .not_covered = "trees that counting frees; the collector has little to do"},
        {.name = "btree",
         .summary = "an index of records, used and collected alive: pyperformance's btree",
         .parameters = {{"nodes", Type::kNumber, 200'000, 1, 1 << 26},
                        {"collections", Type::kNumber, 5, 1, 1'000'000}},
         .script = "btree.py",
         .numbers = true,
         .seconds = btree_seconds,
         .bytes = btree_bytes,
         .size = "nodes",
         .not_covered =
             "a tree that is built and read, alive, and has no cycle; no text or number is "
             "computed"},
        {.name = "cycles",
         .summary = "garbage in one component or in many, collected beside a live set",
         .parameters = {{"shape", Type::kWord, "ring", 0, 0, {"ring", "chain", "rings"}},
                        {"objects", Type::kNumber, 1'000'000, 10, kMostObjects},
                        {"live", Type::kNumber, 100'000, 4, kMostObjects},
                        {"collections", Type::kNumber, 3, 1, 1'000'000}},
         .seconds = cycles_seconds,
         .bytes = cycles_bytes,
         .size = "objects",
         .title = cycles_title,
         .ours_alone = always,
         .not_covered =
             "garbage of one shape, collected on request, beside a live set that stands still"},
        {.name = "rings",
         .summary = "threads that make rings and drop them: does the collector keep up?",
         .parameters = {{"threads", Type::kNumber, 1, 1, 64},
                        {"rings", Type::kNumber, 1'000'000, 1, int64_t{1} << 50},
                        {"dead-limit", Type::kNumber, 5'000'000, 1, int64_t{1} << 40}},
         .script = "rings.py",
         .seconds = rings_seconds,
         .bytes = rings_bytes,
         .not_covered =
             "rings of two to six and nothing else: no program makes as much garbage for as "
             "little work, and next to nothing is alive; an interpreter makes it more slowly "
             "than compiled code"},
    };
}

}  // namespace

const std::vector<Workload>& catalogue() {
    static const std::vector<Workload> all = [] {
        std::vector<Workload> found = single_workloads();
        found.push_back(slices_workload());
        std::ranges::move(described_workloads(), std::back_inserter(found));
        return found;
    }();
    return all;
}

}  // namespace ouro::runner
