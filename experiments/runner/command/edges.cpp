// `ouro edges`: the random graph's numbers, so that no peer needs a generator of its own.
#include "experiments/workloads/edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "experiments/runner/command/command.hpp"
#include "experiments/runner/command/commands.hpp"
#include "experiments/runner/decimal.hpp"

namespace ouro::runner {
namespace {

bool write_words(const std::vector<uint32_t>& words) {
    return std::fwrite(words.data(), sizeof(uint32_t), words.size(), stdout) == words.size();
}

int run_edges(const workloads::GraphParameters& graph) {
    workloads::EdgeGenerator edges(graph.objects, graph.seed);
    std::vector<uint32_t> buffer;
    uint64_t left = uint64_t{graph.objects} * graph.degree;
    bool written = true;
    while (written && left > 0) {
        buffer.resize(std::min<uint64_t>(left, 1 << 16));
        for (uint32_t& word : buffer) {
            word = edges.next();
        }
        left -= buffer.size();
        written = write_words(buffer);
    }
    written = written &&
              write_words(workloads::root_order(graph.objects, graph.shuffled, graph.seed)) &&
              std::fflush(stdout) == 0;
    if (!written) {
        fmt::print(stderr, "ouro: edges: {}\n", std::strerror(errno));
        return kExitFailed;
    }
    return 0;
}

}  // namespace

void add_graph_parameters(CLI::App* app, workloads::GraphParameters& graph) {
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

Command add_edges(CLI::App& app) {
    const auto graph = std::make_shared<workloads::GraphParameters>();
    CLI::App* command = app.add_subcommand(
        "edges", "write the random graph's targets and root order as 32-bit numbers");
    add_graph_parameters(command, *graph);
    command->add_option("--seed", graph->seed, "of the random graph")
        ->check(decimal(0, UINT64_MAX))
        ->capture_default_str();
    return {command, [graph] { return run_edges(*graph); }};
}

}  // namespace ouro::runner
