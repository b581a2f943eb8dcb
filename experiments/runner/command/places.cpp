// `ouro places`: what each operation of churn replaces, so that no peer needs a generator of its own.
#include "experiments/workloads/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "experiments/runner/bench/churn.hpp"
#include "experiments/runner/command/command.hpp"
#include "experiments/runner/command/commands.hpp"
#include "experiments/runner/command/flags.hpp"
#include "experiments/runner/decimal.hpp"

namespace ouro::runner {
namespace {

struct PlacesArguments {
    workloads::Values churn = workloads::Values::object();
    std::optional<uint64_t> objects;
    uint64_t seed = 1;
};

// As many as are wanted or, if it is not said how many, for ever. False, with errno, if they cannot be written.
bool write_places(const workloads::ChurnParameters& churn, const std::optional<uint64_t>& objects) {
    workloads::PlaceGenerator places(churn.live / churn.cycle_size, churn.replace_percent,
                                     churn.seed);
    std::vector<uint32_t> buffer;
    uint64_t left = objects ? (*objects + churn.cycle_size - 1) / churn.cycle_size : UINT64_MAX;
    while (left > 0) {
        buffer.resize(std::min<uint64_t>(left, 1 << 14));
        for (uint32_t& word : buffer) {
            word = places.next();
        }
        left -= buffer.size();
        if (std::fwrite(buffer.data(), sizeof(uint32_t), buffer.size(), stdout) != buffer.size()) {
            return false;
        }
    }
    return std::fflush(stdout) == 0;
}

int run_places(const PlacesArguments& wanted) {
    if (refuse_together("places", churn_description(), wanted.churn)) {
        return kExitBadArguments;
    }
    if (!write_places(churn_of(wanted.churn, wanted.seed), wanted.objects)) {
        fmt::print(stderr, "ouro: places: {}\n", std::strerror(errno));
        return kExitFailed;
    }
    return 0;
}

}  // namespace

Command add_places(CLI::App& app) {
    const auto wanted = std::make_shared<PlacesArguments>();
    CLI::App* command = app.add_subcommand(
        "places", "write what each operation of churn replaces as 32-bit numbers");
    add_flags(command, churn_parameters(), wanted->churn);
    command->add_option("--objects", wanted->objects, "containers made; without it there is no end")
        ->check(decimal(1, uint64_t{1} << 50));
    command->add_option("--seed", wanted->seed, "as that of churn")
        ->check(decimal(0, UINT64_MAX))
        ->capture_default_str();
    return {command, [wanted] { return run_places(*wanted); }};
}

}  // namespace ouro::runner
