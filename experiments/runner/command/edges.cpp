// `ouro edges`: the random graph's numbers, so that no peer needs a generator of its own.
#include "experiments/workloads/edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "experiments/runner/bench/graph.hpp"
#include "experiments/runner/command/command.hpp"
#include "experiments/runner/command/commands.hpp"
#include "experiments/runner/command/flags.hpp"
#include "experiments/runner/decimal.hpp"

namespace ouro::runner {
namespace {

struct EdgesArguments {
    workloads::Values graph = workloads::Values::object();
    uint64_t seed = 1;
    unsigned collections = 0;  // rounds of mutations
};

bool write_words(const std::vector<uint32_t>& words) {
    return std::fwrite(words.data(), sizeof(uint32_t), words.size(), stdout) == words.size();
}

// Three words each.
bool write_mutations(const workloads::GraphParameters& graph, unsigned collections) {
    const uint64_t round =
        workloads::mutations_a_round(graph.objects, graph.degree, graph.mutate_percent);
    uint64_t left = round * collections;
    if (left == 0) {
        return true;
    }
    workloads::MutationGenerator mutations(graph.objects, graph.degree, graph.seed);
    std::vector<uint32_t> buffer;
    bool written = true;
    while (written && left > 0) {
        buffer.clear();
        for (; left > 0 && buffer.size() < 3 << 14; --left) {
            const workloads::Mutation each = mutations.next();
            buffer.insert(buffer.end(), {each.from, each.slot, each.to});
        }
        written = write_words(buffer);
    }
    return written;
}

int run_edges(const EdgesArguments& wanted) {
    const workloads::GraphParameters graph = graph_of(wanted.graph, wanted.seed);
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
              write_mutations(graph, wanted.collections) && std::fflush(stdout) == 0;
    if (!written) {
        fmt::print(stderr, "ouro: edges: {}\n", std::strerror(errno));
        return kExitFailed;
    }
    return 0;
}

}  // namespace

Command add_edges(CLI::App& app) {
    const auto wanted = std::make_shared<EdgesArguments>();
    CLI::App* command = app.add_subcommand(
        "edges", "write the random graph's targets, root order and mutations as 32-bit numbers");
    add_flags(command, graph_parameters(), wanted->graph);
    command
        ->add_option("--collections", wanted->collections,
                     "how many rounds of mutations follow, one for each")
        ->check(decimal(0, 1'000'000))
        ->capture_default_str();
    command->add_option("--seed", wanted->seed, "of the random graph")
        ->check(decimal(0, UINT64_MAX))
        ->capture_default_str();
    return {command, [wanted] { return run_edges(*wanted); }};
}

}  // namespace ouro::runner
