// `ouro bench cyclotron|binary-trees|btree|ggauss`: workloads that others know.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "experiments/runner/bench_classics.hpp"
#include "experiments/runner/command/workload.hpp"
#include "experiments/runner/decimal.hpp"

namespace ouro::runner {
namespace {

template <typename Options>
struct Wanted {
    Common common;
    Options options{};
};

// A set that is to hold one of what it is made of.
int refuse_small(const char* workload, const char* flag, uint64_t found, const char* part,
                 uint64_t least) {
    fmt::print(stderr, "ouro: bench {} --{}: found '{}'; allowed: at least --{}, {}\n", workload,
               flag, found, part, least);
    return kExitBadArguments;
}

Command add_cyclotron(CLI::App& bench) {
    const auto wanted = std::make_shared<Wanted<CyclotronOptions>>();
    workloads::CyclotronParameters& heap = wanted->options.heap;
    CLI::App* command = bench.add_subcommand(
        "cyclotron", "cyclic garbage beside a small live set; after Schemenauer's benchmark");
    command
        ->add_option(
            "--shape", heap.shape,
            "rings of nodes, or trees of records, all dropped together; or rings in a queue")
        ->transform(CLI::CheckedTransformer(cyclotron_shapes()))
        ->default_str("chain")
        ->type_name("chain|tree|queue");
    command->add_option("--cycle-size", heap.cycle_size, "objects of a ring or a tree")
        ->check(decimal(1, 1u << 24))
        ->capture_default_str();
    command
        ->add_option("--extra-bytes", heap.extra_bytes,
                     "that a ring also holds; that a record of a tree holds at most")
        ->check(decimal(0, 1u << 30))
        ->capture_default_str();
    command
        ->add_option("--live-objects", heap.live_objects,
                     "that there are before all are dropped; that a queue holds")
        ->check(decimal(1, 1u << 30))
        ->capture_default_str();
    command->add_option("--total-objects", wanted->options.total_objects, "that are made")
        ->check(decimal(1, uint64_t{1} << 50))
        ->capture_default_str();
    command
        ->add_option("--cyclic-fraction", heap.cyclic_fraction,
                     "of the rings or trees; the others have no cycle, and counting frees them")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    add_common(command, wanted->common);
    return {command, [wanted] {
                workloads::CyclotronParameters& asked = wanted->options.heap;
                if (asked.live_objects < asked.cycle_size) {
                    return refuse_small("cyclotron", "live-objects", asked.live_objects,
                                        "cycle-size", asked.cycle_size);
                }
                asked.seed = wanted->common.seed;
                return run_workload("cyclotron", wanted->common,
                                    [&] { return bench_cyclotron(wanted->options); });
            }};
}

Command add_binary_trees(CLI::App& bench) {
    const auto wanted = std::make_shared<Wanted<workloads::BinaryTreesParameters>>();
    CLI::App* command = bench.add_subcommand(
        "binary-trees", "trees of all sizes are built, counted and dropped; the Benchmarks Game's");
    command->add_option("--depth", wanted->options.depth, "of the tree that lives long")
        ->check(decimal(workloads::BinaryTrees::kLeastDepth, 24))
        ->capture_default_str();
    command->add_flag("--parents", wanted->options.parents,
                      "each node refers to the one above it: a tree is one component of garbage");
    add_common(command, wanted->common);
    return {command, [wanted] {
                return run_workload("binary-trees", wanted->common,
                                    [&] { return bench_binary_trees(wanted->options); });
            }};
}

Command add_btree(CLI::App& bench) {
    const auto wanted = std::make_shared<Wanted<BTreeOptions>>();
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
                return run_workload("btree", wanted->common,
                                    [&] { return bench_btree(wanted->options); });
            }};
}

Command add_ggauss(CLI::App& bench) {
    const auto wanted = std::make_shared<Wanted<GaussOptions>>();
    workloads::GaussParameters& heap = wanted->options.heap;
    CLI::App* command = bench.add_subcommand(
        "ggauss", "random graphs of Gaussian neighbours that change and are dropped; after Bacon "
                  "and Rajan's torture test");
    command->add_option("--live", heap.live, "nodes that are alive all the time")
        ->check(decimal(1, 1u << 30))
        ->capture_default_str();
    command->add_option("--nodes", heap.nodes, "of a graph")
        ->check(decimal(1, 1u << 24))
        ->capture_default_str();
    command->add_option("--degree", heap.degree, "references each of them holds")
        ->check(decimal(1, 2000))
        ->capture_default_str();
    command->add_option("--deviation", heap.deviation, "of the distance of a neighbour")
        ->check(decimal(0, 1u << 20))
        ->capture_default_str();
    command
        ->add_option("--mutations", heap.mutations,
                     "references of live graphs that are changed for each node that is made")
        ->check(decimal(0, 1'000'000))
        ->capture_default_str();
    command->add_option("--objects", wanted->options.objects, "nodes made, after the live ones")
        ->check(decimal(1, uint64_t{1} << 50))
        ->capture_default_str();
    add_common(command, wanted->common);
    return {command, [wanted] {
                workloads::GaussParameters& asked = wanted->options.heap;
                if (asked.live < asked.nodes) {
                    return refuse_small("ggauss", "live", asked.live, "nodes", asked.nodes);
                }
                asked.seed = wanted->common.seed;
                return run_workload("ggauss", wanted->common,
                                    [&] { return bench_ggauss(wanted->options); });
            }};
}

}  // namespace

std::vector<Command> add_classics(CLI::App& bench) {
    return {add_cyclotron(bench), add_binary_trees(bench), add_btree(bench), add_ggauss(bench)};
}

}  // namespace ouro::runner
