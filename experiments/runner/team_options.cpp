#include "experiments/runner/team_options.hpp"
#include "experiments/runner/decimal.hpp"
#include "experiments/workloads/gcbench.hpp"

namespace ouro::runner {

void add_team_options(CLI::App* app, TeamOptions& team) {
    app->add_option("--threads", team.threads,
                    "that do the same at once; with more than one, beside as many processes")
        ->check(decimal(1, 1024))
        ->capture_default_str();
    app->add_option("--rounds", team.rounds, "parts of the run, measured one by one")
        ->check(decimal(1, 1000))
        ->capture_default_str();
}

void add_storm_options(CLI::App* app, StormOptions& storm) {
    add_team_options(app, storm.team);
    app->add_option("--shared", storm.shared,
                    "per cent of the operations on objects that all threads share")
        ->check(decimal(0, 100))
        ->capture_default_str();
    app->add_option("--objects", storm.objects, "of each thread, and as many shared ones")
        ->check(decimal(1, 1u << 30))
        ->capture_default_str();
    app->add_option("--owner", storm.owner,
                    "of the shared ones: the first thread, one that has exited, or one that is "
                    "blocked")
        ->transform(CLI::CheckedTransformer(owners()))
        ->default_str("first")
        ->type_name("first|exited|blocked");
    CLI::Option* operations =
        app->add_option("--operations", storm.operations, "of each thread, in all rounds")
            ->check(decimal(1, uint64_t{1} << 50))
            ->capture_default_str();
    app->add_option("--seconds", storm.seconds, "goes on for so long instead, all rounds together")
        ->check(decimal(1, 1'000'000))
        ->excludes(operations);
}

void add_gcbench_options(CLI::App* app, GcBenchOptions& gcbench) {
    add_team_options(app, gcbench.team);
    app->add_option("--depth", gcbench.depth,
                    "of the tree that lives long, and of the largest that die at once")
        ->check(decimal(workloads::GcBench::kLeastDepth, 24))
        ->capture_default_str();
    app->add_option("--array", gcbench.array, "floats on a list that lives long")
        ->check(decimal(1, 1u << 28))
        ->capture_default_str();
}

}  // namespace ouro::runner
