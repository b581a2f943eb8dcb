#include "experiments/runner/churn_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "experiments/runner/decimal.hpp"

namespace ouro::runner {
namespace {

void add_churn_parameters(CLI::App* app, workloads::ChurnParameters& churn) {
    app->add_option("--live", churn.live, "containers of the live set, in rings on one list")
        ->check(decimal(1, 1u << 30))
        ->capture_default_str();
    app->add_option("--replace", churn.replace_percent,
                    "per cent of the new rings that take the place of a live one, any of them; the "
                    "others are dropped at once")
        ->check(decimal(0, 100))
        ->capture_default_str();
    app->add_option("--cycle-size", churn.cycle_size, "containers in a ring")
        ->check(decimal(1, 1u << 20))
        ->capture_default_str();
}

}  // namespace

void add_churn_options(CLI::App* app, ChurnOptions& churn) {
    add_churn_parameters(app, churn.churn);
    CLI::Option* objects =
        app->add_option("--objects", churn.objects, "containers made, after the live set")
            ->check(decimal(1, uint64_t{1} << 50))
            ->capture_default_str();
    app->add_option("--seconds", churn.seconds, "goes on for so long instead")
        ->check(decimal(1, 1'000'000))
        ->excludes(objects);
}

void add_young_options(CLI::App* app, YoungOptions& young) {
    app->add_option("--old", young.heap.old_objects, "old containers")
        ->check(decimal(4, 1u << 30))
        ->capture_default_str();
    app->add_option("--young", young.heap.young_objects, "young containers of each collection")
        ->check(decimal(4, 1u << 30))
        ->capture_default_str();
    app->add_option("--collections", young.collections, "of each kind")
        ->check(decimal(1, 1'000'000))
        ->capture_default_str();
}

void add_places_options(CLI::App* app, PlacesOptions& places) {
    add_churn_parameters(app, places.churn);
    app->add_option("--objects", places.objects, "containers made; without it there is no end")
        ->check(decimal(1, uint64_t{1} << 50));
    app->add_option("--seed", places.churn.seed, "as that of churn")
        ->check(decimal(0, UINT64_MAX))
        ->capture_default_str();
}

std::string problem_of(const workloads::ChurnParameters& churn) {
    return churn.live >= churn.cycle_size
               ? std::string()
               : fmt::format("--live: found '{}'; allowed: at least --cycle-size, {}", churn.live,
                             churn.cycle_size);
}

int write_places(const PlacesOptions& options) {
    const workloads::ChurnParameters& churn = options.churn;
    workloads::PlaceGenerator places(churn.live / churn.cycle_size, churn.replace_percent,
                                     churn.seed);
    std::vector<uint32_t> buffer;
    uint64_t left =
        options.objects ? (*options.objects + churn.cycle_size - 1) / churn.cycle_size : UINT64_MAX;
    while (left > 0) {
        buffer.resize(std::min<uint64_t>(left, 1 << 14));
        for (uint32_t& word : buffer) {
            word = places.next();
        }
        left -= buffer.size();
        if (std::fwrite(buffer.data(), sizeof(uint32_t), buffer.size(), stdout) != buffer.size()) {
            return -1;
        }
    }
    return std::fflush(stdout) == 0 ? 0 : -1;
}

}  // namespace ouro::runner
