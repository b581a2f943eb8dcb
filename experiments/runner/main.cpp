// The `ouro` command: parses, and hands over to the subcommand that was named.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <vector>

#include "experiments/runner/command/command.hpp"
#include "experiments/runner/command/commands.hpp"
#include "ouroboros.h"

namespace {

using namespace ouro::runner;

int run(int argc, char** argv) {
    CLI::App app("Ouroboros: a laboratory for collectors of reference-counted runtimes.", "ouro");
    app.set_version_flag("--version", [] { return std::string("ouro ") + Ouro_Version(); });
    app.allow_extras();  // inherited by the subcommands: refuse_extras names the nearest spelling
    const std::vector<Command> commands = {
        add_bench(app), add_run(app),    add_search(app),  add_plan(app),     add_merge(app),
        add_edges(app), add_places(app), add_numbers(app), add_list(app),     add_config(app),
        add_ext(app),   add_check(app),  add_report(app),  add_reproduce(app)};
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {
            return app.exit(error);
        }
        std::fprintf(stderr, "ouro: %s\n", error.what());
        return kExitBadArguments;
    }
    refuse_extras(app, "ouro");
    for (const Command& command : commands) {
        if (command.app->parsed()) {
            return command.run();
        }
    }
    std::cout << app.help();
    return kExitBadArguments;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const int status = run(argc, argv);
        std::cout.flush();
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) {
            std::fprintf(stderr, "ouro: standard output: %s\n", std::strerror(errno));
            return kExitFailed;
        }
        return status;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "ouro: %s\n", error.what());
        return kExitFailed;
    }
}
