// `ouro bench`: one workload in this process; a subcommand for each, a flag for each of its parameters.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "experiments/runner/bench_described.hpp"
#include "experiments/runner/command/commands.hpp"
#include "experiments/runner/command/flags.hpp"
#include "experiments/runner/command/workload.hpp"
#include "experiments/runner/table.hpp"
#include "experiments/runner/words.hpp"

namespace ouro::runner {
namespace {

using workloads::Description;

Command add_workload(CLI::App& bench, const Description& description) {
    struct Wanted {
        Common common;
        workloads::Values values = workloads::Values::object();
    };
    const auto wanted = std::make_shared<Wanted>();
    CLI::App* command = bench.add_subcommand(description.name, description.summary);
    add_flags(command, description.parameters, wanted->values);
    add_common(command, wanted->common);
    return {
        command, [wanted, &description] {
            if (refuse_together("bench " + description.name, description, wanted->values)) {
                return kExitBadArguments;
            }
            wanted->common.memory = [&](const Subject& subject) {
                return memory_of(description, subject, wanted->values);
            };
            return run_workload(
                description.name, wanted->common,
                [&] { return begin_described(description, wanted->values, wanted->common.seed); },
                [&](const nlohmann::json& row) { print_table(row, printing_of(description)); });
        }};
}

}  // namespace

Command add_bench(CLI::App& app) {
    CLI::App* bench = app.add_subcommand("bench", "run one workload in this process");
    std::vector<Command> all;
    for (const Description& each : workloads::descriptions()) {
        all.push_back(add_workload(*bench, each));
    }
    return {bench, [bench, all] {
                for (const Command& workload : all) {
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
