// `ouro run`: a whole experiment.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <numeric>

#include "experiments/runner/command/command.hpp"
#include "experiments/runner/command/commands.hpp"
#include "experiments/runner/command/experiment_options.hpp"
#include "experiments/runner/run/experiment.hpp"
#include "experiments/runner/run/plan.hpp"
#include "experiments/runner/run/progress.hpp"
#include "experiments/runner/run/session.hpp"
#include "experiments/runner/words.hpp"

namespace ouro::runner {
namespace {

struct RunArguments {
    std::string config, directory, shard;
    std::vector<std::string> slices, overrides, interpreters;
    bool resume = false;
    bool retry = false;
    bool dry_run = false;
    bool force = false;
};

// The runs of a part, for what is said of them.
std::vector<Run> runs_of(const Part& part, std::vector<Run> plan, const Experiment& experiment) {
    std::erase_if(plan, [&](const Run& run) { return !part.takes(run, experiment); });
    return plan;
}

std::string summary(const Experiment& experiment, const Part& part, const std::vector<Run>& plan,
                    size_t left) {
    std::vector<std::string> names;
    names.reserve(experiment.subjects.size());
    for (const Subject& each : experiment.subjects) {
        names.push_back(each.name);
    }
    const double seconds =
        std::accumulate(plan.begin(), plan.end(), 0.0,
                        [](double sum, const Run& run) { return sum + run.estimate; });
    const std::string rest =
        left == plan.size() ? "about " + minutes(seconds) : fmt::format("{} left", left);
    const std::string shard =
        part.shard ? fmt::format(", shard {}/{}", part.shard->number, part.shard->of) : "";
    std::string text = fmt::format("{}{}: {} runs of {}; {}; seed {}", experiment.title, shard,
                                   plan.size(), joined(names, ", "), rest, experiment.seed);
    for (const auto& [name, reason] : experiment.skipped) {
        text += fmt::format("\nskipped: {}: {}", name, reason);
    }
    return text;
}

int show_plan(const Experiment& experiment, const Part& part,
              const std::filesystem::path& directory) {
    const std::vector<Run> plan = make_plan(experiment);
    const std::vector<Run> shown = runs_of(part, plan, experiment);
    const Places here = places();
    fmt::print("{}\n", summary(experiment, part, shown, shown.size()));
    for (const size_t place : places_of(part, plan, experiment)) {
        const Run& run = plan[place];
        fmt::print("{}  {}: {}\n", run.invocation, title_of(run, experiment),
                   as_text(commands_of(run, place, experiment, here, directory)));
    }
    return 0;
}

int make_runs(const RunArguments& wanted, const Experiment& experiment, const Part& part,
              const std::filesystem::path& directory) {
    Record record = wanted.resume ? Record::resume(directory) : Record::begin(directory);
    if (record.was_cut()) {
        fmt::print("the last row of {} was not whole and is gone\n",
                   (directory / "runs.jsonl").string());
    }
    Session session(experiment, record, command_line(), part);
    const size_t left = session.prepare(wanted.retry);
    const std::vector<Run> plan = runs_of(part, make_plan(experiment), experiment);
    fmt::print("{}\n", summary(experiment, part, plan, left));
    std::fflush(stdout);
    const double began = static_cast<double>(std::time(nullptr));
    bool finished = true;
    if (left > 0) {
        const Interrupts interrupts;
        finished = session.measure(interrupts);
    }
    const size_t lost = session.without_result();
    const double taken = static_cast<double>(std::time(nullptr)) - began;
    fmt::print("{} of {} runs have a result; {}; raw data: {}\n", plan.size() - lost, plan.size(),
               minutes(taken), (directory / "runs.jsonl").string());
    if (!finished) {
        fmt::print("interrupted; --resume goes on\n");
        return kExitInterrupted;
    }
    return lost == 0 ? 0 : kExitFailed;
}

Part part_of(const RunArguments& wanted, const Experiment& experiment) {
    Part part;
    if (!wanted.shard.empty()) {
        part.shard = parse_shard(wanted.shard);
        const std::string problem =
            part.shard ? shards_problem(part.shard->of, experiment)
                       : fmt::format("found '{}'; allowed: I/N, the I-th of N, as in 2/4, with at "
                                     "most {} of them",
                                     wanted.shard, kMostShards);
        if (!problem.empty()) {
            throw BadExperiment("ouro: run --shard: " + problem);
        }
    }
    for (const std::string& each : wanted.slices) {
        const std::optional<Slice> slice = parse_slice(each);
        const std::string problem =
            slice ? slice_problem(*slice, experiment)
                  : fmt::format("found '{}'; allowed: PARAMETER=VALUE,...", each);
        if (!problem.empty()) {
            throw BadExperiment("ouro: run --slice: " + problem);
        }
        part.slices.push_back(*slice);
    }
    if (places_of(part, make_plan(experiment), experiment).empty()) {
        throw BadExperiment("ouro: run --slice: there is no run that is in all of these");
    }
    return part;
}

int run_experiment(const RunArguments& wanted) {
    if (!configure_from_environment()) {
        return kExitBadArguments;
    }
    if (wanted.resume && wanted.directory.empty()) {
        fmt::print(stderr, "ouro: run --resume: needs -o DIR, the results to go on with\n");
        return kExitBadArguments;
    }
    if (wanted.retry && !wanted.resume) {
        fmt::print(stderr, "ouro: run --retry: means something with --resume only\n");
        return kExitBadArguments;
    }
    try {
        Experiment experiment =
            read_experiment({wanted.config}, wanted.overrides, wanted.interpreters);
        experiment.force = wanted.force;
        for (const std::string& each : experiment.warnings) {
            fmt::print(stderr, "ouro: warning: {}\n", each);
        }
        if (const char* settings = std::getenv("OURO")) {
            fmt::print(stderr,
                       "ouro: warning: OURO={} does not reach the runs; subjects have their "
                       "own settings\n",
                       settings);
        }
        const std::filesystem::path directory = results_directory(wanted.directory, experiment);
        const Part part = part_of(wanted, experiment);
        const std::string large =
            too_large(runs_of(part, make_plan(experiment), experiment), experiment, memory_limit());
        if (!wanted.force && !large.empty()) {
            throw BadExperiment(large);
        }
        if (wanted.dry_run) {
            return show_plan(experiment, part, directory);
        }
        return make_runs(wanted, experiment, part, directory);
    } catch (const BadExperiment& error) {
        fmt::print(stderr, "{}\n", error.what());
    } catch (const BadDirectory& error) {
        fmt::print(stderr, "ouro: run -o: {}\n", error.what());
    }
    return kExitBadArguments;
}

constexpr const char* kRunFooter = R"(
CONFIG is a TOML file:

  title = "pauses"            # else the file's name
  seed = 1                    # of the order and of the workloads
  invocations = 5             # 1 to 1000; a workload may have its own
  timeout = 300               # seconds a run may take, else twelve times the guess, at least 60
  noise-floor = true          # each run of ours twice: an A/A pair; 4: in every fourth invocation
  events = false              # keep every event of ours
  order = "random"            # or "fill-in": the ends and the middle of each sweep first
  pin = "0"                   # processors that runs are bound to; a subject may have its own
  include = ["other.toml"]    # read before this

  [[workload]]                # `ouro list` shows them with their parameters
  name = "graph"
  objects = [10_000, 100_000] # a list: each of its values, crossed with all other lists
  shuffled = [false, true]

  [[subject]]                 # ours: any settings
  engine = "stw"

  [[subject]]                 # peers: "auto" or "all" find what is installed, or a path
  python = "auto"

  [[subject]]                 # other runtimes, which run slices: "auto", NAME or NAME/VARIANT
  peer = "auto"

Each of these options has a variable of the environment, OURO_RUN_ and its name in capitals, and each
key from title to pin a flag and a variable of its name, too: --seed 7, OURO_RUN_SEED=7. A flag wins
over a variable, and that over the file.

DIR gets runs.jsonl (a row a run), meta.json, logs/, events/, captured/.

Exit status: 0 every run has a result; 1 some have not; 2 bad arguments or a bad CONFIG, nothing
was run; 130 interrupted.)";

}  // namespace

Command add_run(CLI::App& app) {
    const auto wanted = std::make_shared<RunArguments>();
    CLI::App* command = app.add_subcommand(
        "run", "an experiment: workloads, engines and peers, interleaved, each run a process");
    command->add_option("CONFIG", wanted->config, "what to run (TOML)")->required();
    command
        ->add_option("-o,--output", wanted->directory, "where the results go (results/TIME-TITLE)")
        ->type_name("DIR");
    command->add_flag("--resume", wanted->resume, "go on with the results in DIR");
    command->add_flag("--retry", wanted->retry,
                      "with --resume: make the runs again that failed, too");
    command
        ->add_option("--shard", wanted->shard,
                     "every N-th invocation from the I-th on; `ouro merge` joins them")
        ->type_name("I/N");
    command
        ->add_option(
            "--slice", wanted->slices,
            "only runs whose parameter has one of these values, or whose `workload` is one")
        ->type_name("PARAMETER=VALUE,...")
        ->expected(1)
        ->take_all();
    command->add_flag("--dry-run", wanted->dry_run, "show the plan, run and write nothing");
    command->add_flag("--force", wanted->force, kForceHelp);
    add_experiment_options(*command, wanted->overrides, wanted->interpreters);
    take_environment(*command);
    command->footer(kRunFooter);
    return {command, [wanted, command] {
                wanted->overrides = all_overrides(*command, wanted->overrides);
                return run_experiment(*wanted);
            }};
}

}  // namespace ouro::runner
