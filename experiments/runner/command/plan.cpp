// `ouro plan`: a script that runs an experiment in shards; what the experiment needs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "experiments/runner/command/command.hpp"
#include "experiments/runner/command/commands.hpp"
#include "experiments/runner/command/experiment_options.hpp"
#include "experiments/runner/run/experiment.hpp"
#include "experiments/runner/run/jobs.hpp"
#include "experiments/runner/run/part.hpp"
#include "experiments/runner/run/process.hpp"
#include "experiments/runner/words.hpp"

namespace ouro::runner {
namespace {

struct PlanArguments {
    std::string config, directory, format;
    unsigned shards = 0;
    bool force = false;
    bool needs = false;
    std::vector<std::string> overrides, interpreters;
};

constexpr const char* kFormats = "slurm|parallel|sh";

Words run_command(const PlanArguments& wanted) {
    Words run = {places().ouro, "run",
                 std::filesystem::absolute(wanted.config).lexically_normal().string()};
    for (const std::string& each : wanted.overrides) {
        run.insert(run.end(), {"--set", each});
    }
    for (const std::string& each : wanted.interpreters) {
        run.insert(run.end(), {"--python", each});
    }
    if (wanted.force) {
        run.push_back("--force");
    }
    return run;
}

// A line for each thing, "KEY VALUE"; memory in MiB.
void print_needs(const Experiment& experiment) {
    const auto print = [](const char* key, std::vector<std::string> values) {
        std::ranges::sort(values);
        const auto repeated = std::ranges::unique(values);
        values.erase(repeated.begin(), repeated.end());
        for (const std::string& value : values) {
            fmt::print("{} {}\n", key, value);
        }
    };
    double most = 0;
    for (const Run& run : make_plan(experiment)) {
        const Configuration& wanted = experiment.configurations[run.configuration];
        most = std::max(
            most, memory_of(*wanted.workload, experiment.subjects[run.subject], wanted.parameters));
    }
    print("build", experiment.needs.builds);
    std::vector<std::string> packages;
    for (const Configuration& each : experiment.configurations) {
        if (!each.workload->packages.empty()) {
            packages.push_back(each.workload->packages);
        }
    }
    print("packages", packages);
    print("peer", experiment.needs.peers);
    if (experiment.needs.bridge) {
        print("module", {"bridge"});
    }
    if (!experiment.needs.micro.empty()) {
        print("micro", {experiment.needs.micro});
    }
    fmt::print("memory {:.0f}\n", std::ceil(most / (1 << 20)));
}

int print_plan(const PlanArguments& wanted) {
    const std::vector<std::string> formats = words(kFormats);
    if (!wanted.needs && std::ranges::find(formats, wanted.format) == formats.end()) {
        refuse("plan --format", wanted.format, kFormats);
    }
    try {
        const Experiment experiment =
            read_experiment({wanted.config}, wanted.overrides, wanted.interpreters, !wanted.needs);
        if (wanted.needs) {
            print_needs(experiment);
            return 0;
        }
        const std::string problem =
            wanted.shards == 0 || wanted.shards > kMostShards
                ? fmt::format("found {}; allowed: 1 to {}", wanted.shards, kMostShards)
                : shards_problem(wanted.shards, experiment);
        if (!problem.empty()) {
            throw BadExperiment("ouro: plan --shards: " + problem);
        }
        const std::vector<Run> plan = make_plan(experiment);
        const std::string large = too_large(plan, experiment, memory_limit());
        if (!wanted.force && !large.empty()) {
            throw BadExperiment(large);
        }
        const Jobs jobs = {
            experiment.title, run_command(wanted), wanted.shards,
            results_directory(wanted.directory, experiment),
            std::accumulate(plan.begin(), plan.end(), 0.0,
                            [](double sum, const Run& run) { return sum + run.estimate; })};
        if (wanted.format == "slurm") {
            fmt::print("{}", slurm_script(jobs));
        } else if (wanted.format == "sh") {
            fmt::print("{}", shell_script(jobs));
        } else {
            fmt::print("{}", parallel_lines(jobs));
            // Not among the lines: each of those is a job.
            fmt::print(
                stderr,
                "one shard at a time on a machine: parallel --jobs 1 < THIS_FILE; then\n{}\n",
                as_text({{jobs.merging()}}));
        }
        return 0;
    } catch (const BadExperiment& error) {
        fmt::print(stderr, "{}\n", error.what());
    }
    return kExitBadArguments;
}

constexpr const char* kPlanFooter = R"(
The script goes to standard output. It runs each shard in DIR/shard-I, and says how to join them; run
again, it goes on where it stopped. Nothing is run and nothing written by this command.

  slurm     an array of jobs for sbatch, each alone on its node
  parallel  a line a shard, for parallel --jobs 1 < FILE (more machines: --sshlogin)
  sh        one shard after the other

Shards that run on one machine at the same time disturb each other.

With --needs it prints what the experiment needs, and experiments/run sees to:

  build NAME    another build beside this one: plain
  peer NAME     other runtimes: auto, NAME or NAME/VARIANT
  module NAME   an extension module for CPython: bridge
  micro REGEX   microbenchmarks to run after it
  memory MIB    that the largest of its runs takes at least, of what is there to run)";

}  // namespace

Command add_plan(CLI::App& app) {
    const auto wanted = std::make_shared<PlanArguments>();
    CLI::App* command = app.add_subcommand(
        "plan", "a script that runs an experiment in shards; what the experiment needs");
    command->add_option("CONFIG", wanted->config, "what to run (TOML)")->required();
    command->add_option("--format", wanted->format, kFormats)->type_name("FORMAT");
    command->add_option("--shards", wanted->shards, "how many, at most one for each invocation")
        ->type_name("N");
    command
        ->add_option("-o,--output", wanted->directory, "where the results go (results/TIME-TITLE)")
        ->type_name("DIR");
    command->add_flag("--needs", wanted->needs,
                      "instead: what must be there before, a line each: KEY VALUE");
    command->add_flag("--force", wanted->force, kForceHelp);
    add_experiment_options(*command, wanted->overrides, wanted->interpreters);
    take_environment(*command);
    command->footer(kPlanFooter);
    return {command, [wanted, command] {
                wanted->overrides = all_overrides(*command, wanted->overrides);
                return print_plan(*wanted);
            }};
}

}  // namespace ouro::runner
