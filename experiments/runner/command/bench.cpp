// `ouro bench`: one workload in this process.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "experiments/runner/bench_btree.hpp"
#include "experiments/runner/bench_cycles.hpp"
#include "experiments/runner/bench_graph.hpp"
#include "experiments/runner/bench_rings.hpp"
#include "experiments/runner/bench_shapes.hpp"
#include "experiments/runner/bench_slices.hpp"
#include "experiments/runner/churn_options.hpp"
#include "experiments/runner/command/workload.hpp"
#include "experiments/runner/decimal.hpp"
#include "experiments/runner/team_options.hpp"
#include "experiments/runner/words.hpp"
#include "experiments/workloads/heap_file.hpp"

namespace ouro::runner {
namespace {

// Of a workload that threads do at once: `make` returns its TeamBench.
template <typename Make>
int run_team_workload(const std::string& name, const Common& common, Make make) {
    return run_workload_after(name, common, [&]() -> Measure {
        return [bench = std::shared_ptr<TeamBench>(make())] { return bench->measure(); };
    });
}

struct WantedGraph {
    Common common;
    GraphOptions graph;
    std::string file;
};

nlohmann::json measure_graph(const WantedGraph& wanted) {
    try {
        return bench_graph(wanted.graph);
    } catch (const workloads::HeapFileError&) {
        throw;
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(
            fmt::format("--file {}: the rebuilt heap differs: {}", wanted.file, error.what()));
    }
}

Command add_graph(CLI::App& bench) {
    const auto wanted = std::make_shared<WantedGraph>();
    CLI::App* command = bench.add_subcommand(
        "graph", "a heap that hangs on one list: collected alive, then dropped and collected");
    add_graph_parameters(command, wanted->graph.random);
    CLI::Option* file = command->add_option(
        "--file", wanted->file, "a heap captured by experiments/capture/heapgraph.py instead");
    for (const char* random_only : {"--objects", "--degree", "--mutate"}) {
        file->excludes(command->get_option(random_only));
    }
    command
        ->add_option("--collections", wanted->graph.collections,
                     "collections with everything alive, after a first that is shown apart")
        ->check(decimal(1, 1'000'000))
        ->capture_default_str();
    add_common(command, wanted->common);
    return {command, [wanted] {
                wanted->graph.random.seed = wanted->common.seed;
                const workloads::GraphParameters& random = wanted->graph.random;
                wanted->common.memory =
                    memory_of("graph", {{"objects", random.objects}, {"degree", random.degree}});
                if (!wanted->file.empty()) {
                    wanted->graph.file = wanted->file;
                    wanted->common.memory = [file = wanted->file](const Subject&) {
                        return static_cast<double>(workloads::heap_file_bytes(file));
                    };
                }
                return run_workload("graph", wanted->common,
                                    [&] { return measure_graph(*wanted); });
            }};
}

Command add_churn(CLI::App& bench) {
    struct Wanted {
        Common common;
        ChurnOptions churn;
        TeamOptions team;
    };
    const auto wanted = std::make_shared<Wanted>();
    CLI::App* command = bench.add_subcommand(
        "churn", "a live set of rings, a part of it replaced by new ones; automatic collection");
    add_churn_options(command, wanted->churn);
    add_team_options(command, wanted->team);
    command->get_option("--rounds")
        ->description("parts of the run, measured one by one, with more than one thread");
    add_common(command, wanted->common);
    return {command, [wanted] {
                wanted->churn.churn.seed = wanted->common.seed;
                const std::string problem = problem_of(wanted->churn.churn);
                if (!problem.empty()) {
                    fmt::print(stderr, "ouro: bench churn {}\n", problem);
                    return kExitBadArguments;
                }
                wanted->common.memory =
                    memory_of("churn", {{"live", wanted->churn.churn.live},
                                        {"cycle-size", wanted->churn.churn.cycle_size}});
                if (wanted->team.threads > 1) {
                    return run_team_workload("churn", wanted->common, [&] {
                        return std::make_shared<TeamBench>(wanted->churn, wanted->team);
                    });
                }
                return run_workload("churn", wanted->common,
                                    [&] { return bench_churn(wanted->churn); });
            }};
}

Command add_young(CLI::App& bench) {
    struct Wanted {
        Common common;
        YoungOptions young;
    };
    const auto wanted = std::make_shared<Wanted>();
    CLI::App* command = bench.add_subcommand(
        "young", "collections of young objects alone, alive and dead, beside an old heap");
    add_young_options(command, wanted->young);
    add_common(command, wanted->common);
    return {command, [wanted] {
                wanted->common.memory =
                    memory_of("young", {{"old", wanted->young.heap.old_objects},
                                        {"young", wanted->young.heap.young_objects}});
                return run_workload("young", wanted->common,
                                    [&] { return bench_young(wanted->young); });
            }};
}

Command add_storm(CLI::App& bench) {
    struct Wanted {
        Common common;
        StormOptions storm;
    };
    const auto wanted = std::make_shared<Wanted>();
    CLI::App* command = bench.add_subcommand(
        "rc-storm", "nothing but counting: references to objects of one thread's own, or shared");
    add_storm_options(command, wanted->storm);
    add_common(command, wanted->common);
    return {command, [wanted] {
                wanted->storm.seed = wanted->common.seed;
                wanted->common.memory =
                    memory_of("rc-storm", {{"objects", wanted->storm.objects},
                                           {"threads", wanted->storm.team.threads}});
                return run_team_workload("rc-storm", wanted->common, [&] {
                    return std::make_shared<TeamBench>(wanted->storm);
                });
            }};
}

Command add_gcbench(CLI::App& bench) {
    struct Wanted {
        Common common;
        GcBenchOptions gcbench;
    };
    const auto wanted = std::make_shared<Wanted>();
    CLI::App* command = bench.add_subcommand(
        "gcbench", "binary trees of all sizes that die at once, beside a tree and an array");
    add_gcbench_options(command, wanted->gcbench);
    add_common(command, wanted->common);
    return {command, [wanted] {
                const GcBenchOptions& asked = wanted->gcbench;
                wanted->common.memory = memory_of("gcbench", {{"depth", asked.depth},
                                                              {"array", asked.array},
                                                              {"threads", asked.team.threads}});
                return run_team_workload("gcbench", wanted->common, [&] {
                    return std::make_shared<TeamBench>(wanted->gcbench);
                });
            }};
}

Command add_gc_collect(CLI::App& bench) {
    struct Wanted {
        Common common;
        CollectOptions options;
    };
    const auto wanted = std::make_shared<Wanted>();
    CLI::App* command = bench.add_subcommand(
        "gc-collect", "full collections of rings that were dropped; pyperformance's gc_collect");
    command->add_option("--cycles", wanted->options.cycles, "rings of each collection")
        ->check(decimal(1, 1u << 24))
        ->capture_default_str();
    command->add_option("--links", wanted->options.links, "a ring has one object more than that")
        ->check(decimal(1, 1u << 20))
        ->capture_default_str();
    command
        ->add_option("--collections", wanted->options.collections, "samples, after a first apart")
        ->check(decimal(1, 1'000'000))
        ->capture_default_str();
    add_common(command, wanted->common);
    return {command, [wanted] {
                wanted->common.memory = memory_of("gc-collect", {{"cycles", wanted->options.cycles},
                                                                 {"links", wanted->options.links}});
                return run_workload("gc-collect", wanted->common,
                                    [&] { return bench_gc_collect(wanted->options); });
            }};
}

Command add_gc_traversal(CLI::App& bench) {
    struct Wanted {
        Common common;
        TraversalOptions options;
    };
    const auto wanted = std::make_shared<Wanted>();
    CLI::App* command = bench.add_subcommand(
        "gc-traversal", "full collections of long lists, alive; pyperformance's gc_traversal");
    command->add_option("--levels", wanted->options.levels, "lists, the n-th of n references")
        ->check(decimal(1, 100'000))
        ->capture_default_str();
    command->add_option("--collections", wanted->options.collections, "after a first apart")
        ->check(decimal(1, 1'000'000))
        ->capture_default_str();
    add_common(command, wanted->common);
    return {
        command, [wanted] {
            wanted->common.memory = memory_of("gc-traversal", {{"levels", wanted->options.levels}});
            return run_workload("gc-traversal", wanted->common,
                                [&] { return bench_gc_traversal(wanted->options); });
        }};
}

Command add_btree(CLI::App& bench) {
    struct Wanted {
        Common common;
        BTreeOptions options;
    };
    const auto wanted = std::make_shared<Wanted>();
    CLI::App* command = bench.add_subcommand(
        "btree", "an index of records, used and collected alive; pyperformance's btree");
    command->add_option("--nodes", wanted->options.nodes, "records in the tree")
        ->check(decimal(1, 1u << 26))
        ->capture_default_str();
    command->add_option("--collections", wanted->options.collections, "after a first in the run")
        ->check(decimal(1, 1'000'000))
        ->capture_default_str();
    add_common(command, wanted->common);
    return {command, [wanted] {
                wanted->options.seed = wanted->common.seed;
                wanted->common.memory = memory_of("btree", {{"nodes", wanted->options.nodes}});
                return run_workload("btree", wanted->common,
                                    [&] { return bench_btree(wanted->options); });
            }};
}

Command add_cycles(CLI::App& bench) {
    struct Cycles {
        Common common;
        CyclesOptions options;
    };
    const auto wanted = std::make_shared<Cycles>();
    CLI::App* command = bench.add_subcommand(
        "cycles", "garbage in one component or in many, collected beside a live set");
    CyclesOptions& options = wanted->options;
    command
        ->add_option("--shape", options.shape,
                     "one ring of all; a small ring and the rest hanging off it; rings of ten")
        ->transform(CLI::CheckedTransformer(cycle_shapes()))
        ->default_str("ring")
        ->type_name("ring|chain|rings");
    command->add_option("--objects", options.objects, "of the garbage")
        ->check(decimal(10, 1u << 30))
        ->capture_default_str();
    command->add_option("--live", options.live, "containers of the live set")
        ->check(decimal(4, 1u << 30))
        ->capture_default_str();
    command->add_option("--collections", options.collections, "of as much garbage each")
        ->check(decimal(1, 1'000'000))
        ->capture_default_str();
    add_common(command, wanted->common);
    return {command, [wanted] {
                wanted->options.seed = wanted->common.seed;
                wanted->common.memory = memory_of("cycles", {{"objects", wanted->options.objects},
                                                             {"live", wanted->options.live}});
                return run_workload("cycles", wanted->common,
                                    [&] { return bench_cycles(wanted->options); });
            }};
}

Command add_rings(CLI::App& bench) {
    struct Wanted {
        Common common;
        RingsOptions options;
    };
    const auto wanted = std::make_shared<Wanted>();
    RingsOptions& options = wanted->options;
    CLI::App* command = bench.add_subcommand(
        "rings", "threads that make rings and drop them: does the collector keep up?");
    command->add_option("--threads", options.threads, "that do the same at once")
        ->check(decimal(1, 64))
        ->capture_default_str();
    command
        ->add_option("--rings", options.rings, "of each thread, of two to six containers in turn")
        ->check(decimal(1, uint64_t{1} << 50))
        ->capture_default_str();
    command
        ->add_option("--dead-limit", options.dead_limit,
                     "containers dead and not freed at which all threads stop")
        ->check(decimal(1, uint64_t{1} << 40))
        ->capture_default_str();
    add_common(command, wanted->common);
    return {command, [wanted] {
                return run_workload("rings", wanted->common,
                                    [&] { return bench_rings(wanted->options); });
            }};
}

Command add_slices(CLI::App& bench) {
    struct Wanted {
        Common common;
        SlicesOptions options;
    };
    const auto wanted = std::make_shared<Wanted>();
    SlicesOptions& options = wanted->options;
    CLI::App* command = bench.add_subcommand(
        "slices", "rings of four take the place of others; the wall time of every few operations");
    command->add_option("--live", options.heap.live, "containers of the live set")
        ->check(decimal(workloads::Slices::kRing, 1u << 30))
        ->capture_default_str();
    command->add_option("--slices", options.slices, "all that are timed")
        ->check(decimal(1, 1u << 24))
        ->capture_default_str();
    command->add_option("--warmup", options.warmup, "of them the first so many are kept apart")
        ->check(decimal(0, 1u << 24))
        ->capture_default_str();
    command->add_option("--slice", options.slice, "operations of each")
        ->check(decimal(1, 1u << 24))
        ->capture_default_str();
    command->add_flag("--shuffled", options.heap.shuffled,
                      "any ring is replaced, and what is alive lies in a random order");
    add_common(command, wanted->common);
    return {command, [wanted] {
                SlicesOptions& asked = wanted->options;
                if (asked.warmup >= asked.slices) {
                    fmt::print(stderr,
                               "ouro: bench slices --warmup: found '{}'; allowed: less than "
                               "--slices, {}\n",
                               asked.warmup, asked.slices);
                    return kExitBadArguments;
                }
                asked.heap.seed = wanted->common.seed;
                wanted->common.memory =
                    memory_of("slices", {{"live", asked.heap.live}, {"slices", asked.slices}});
                return run_workload("slices", wanted->common, [&] { return bench_slices(asked); });
            }};
}

}  // namespace

Command add_bench(CLI::App& app) {
    CLI::App* bench = app.add_subcommand("bench", "run one workload in this process");
    std::vector<Command> workloads = {
        add_graph(*bench),        add_churn(*bench),  add_young(*bench),   add_gc_collect(*bench),
        add_gc_traversal(*bench), add_storm(*bench),  add_gcbench(*bench), add_slices(*bench),
        add_btree(*bench),        add_cycles(*bench), add_rings(*bench)};
    for (Command& described : add_described(*bench)) {
        workloads.push_back(std::move(described));
    }
    return {bench, [bench, workloads] {
                for (const Command& workload : workloads) {
                    if (workload.app->parsed()) {
                        return workload.run();
                    }
                }
                fmt::print(stderr, "ouro: bench: a workload is missing; allowed: {}\n",
                           joined(words(subcommand_names(*bench)), ", "));
                return kExitBadArguments;
            }};
}

}  // namespace ouro::runner
