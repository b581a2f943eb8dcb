// The subcommands of `ouro`: each function adds one to the application.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ouro::runner {

// A subcommand, and what to do if it was parsed: returns the exit status.
struct Command {
    CLI::App* app;
    std::function<int()> run;
};

Command add_bench(CLI::App& app);
Command add_run(CLI::App& app);
Command add_search(CLI::App& app);
Command add_plan(CLI::App& app);
Command add_merge(CLI::App& app);
Command add_edges(CLI::App& app);
Command add_places(CLI::App& app);
Command add_numbers(CLI::App& app);
Command add_list(CLI::App& app);
Command add_config(CLI::App& app);
Command add_ext(CLI::App& app);
Command add_check(CLI::App& app);
Command add_report(CLI::App& app);
Command add_reproduce(CLI::App& app);

}  // namespace ouro::runner
