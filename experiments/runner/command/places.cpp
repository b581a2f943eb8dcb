// `ouro places`: what each operation of churn replaces, so that no peer needs a generator of its own.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "experiments/runner/churn_options.hpp"
#include "experiments/runner/command/command.hpp"
#include "experiments/runner/command/commands.hpp"

namespace ouro::runner {
namespace {

int run_places(const PlacesOptions& wanted) {
    const std::string problem = problem_of(wanted.churn);
    if (!problem.empty()) {
        fmt::print(stderr, "ouro: places {}\n", problem);
        return kExitBadArguments;
    }
    if (write_places(wanted) != 0) {
        fmt::print(stderr, "ouro: places: {}\n", std::strerror(errno));
        return kExitFailed;
    }
    return 0;
}

}  // namespace

Command add_places(CLI::App& app) {
    const auto wanted = std::make_shared<PlacesOptions>();
    CLI::App* command = app.add_subcommand(
        "places", "write what each operation of churn replaces as 32-bit numbers");
    add_places_options(command, *wanted);
    return {command, [wanted] { return run_places(*wanted); }};
}

}  // namespace ouro::runner
