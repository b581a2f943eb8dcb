// `ouro bench lru|server|adversary|cycles`: what mutators feel of a collector.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "experiments/runner/bench_cycles.hpp"
#include "experiments/runner/bench_load.hpp"
#include "experiments/runner/command/workload.hpp"
#include "experiments/runner/decimal.hpp"
#include "experiments/runner/words.hpp"
#include "experiments/workloads/adversary.hpp"
#include "experiments/workloads/churn.hpp"
#include "experiments/workloads/server.hpp"

namespace ouro::runner {
namespace {

// What all of them take that are done under load.
struct Wanted {
    Common common;
    LoadOptions load;
    uint32_t live = 100'000;
};

void add_load_options(CLI::App* app, Wanted& wanted) {
    app->add_option("--live", wanted.live, "containers that are alive all the time, of all threads")
        ->check(decimal(1, 1u << 30))
        ->capture_default_str();
    app->add_option("--threads", wanted.load.threads,
                    "mutators, each with its part of what is alive")
        ->check(decimal(1, 8))
        ->capture_default_str();
    app->add_option("--seconds", wanted.load.seconds, "of the run, building not counted")
        ->check(decimal(1, 1'000'000))
        ->capture_default_str();
    app->add_option("--load", wanted.load.load,
                    "operations at fixed times: per cent of what the same mutators do with engine "
                    "off, measured just before, or so many a second; or saturated")
        ->check(CLI::Validator(
            [](const std::string& text) {
                return parse_load(text) ? std::string()
                                        : fmt::format("found '{}'; allowed: {}", text, kLoadForms);
            },
            std::string(kLoadForms)))
        ->capture_default_str();
    add_common(app, wanted.common);
}

void add_cycle_size(CLI::App* app, uint32_t& size) {
    app->add_option("--cycle-size", size, "containers in a ring")
        ->check(decimal(1, 1u << 20))
        ->capture_default_str();
}

void add_order(CLI::App* app, workloads::ChurnParameters& rings) {
    app->add_flag("--shuffled", rings.shuffled, "what is alive lies in the heap in a random order");
    app->add_option("--unflagged", rings.unflagged_percent,
                    "per cent of the containers that are of a type which is not traversed beside "
                    "mutators")
        ->check(decimal(0, 100))
        ->capture_default_str();
}

int measure(const char* workload, Wanted& wanted, uint32_t least, const nlohmann::json& params,
            const workloads::MakeLoad& make) {
    if (wanted.live / wanted.load.threads < least) {
        fmt::print(stderr, "ouro: bench {} --live: found '{}'; allowed: at least {} a thread\n",
                   workload, wanted.live, least);
        return kExitBadArguments;
    }
    return run_workload_after(workload, wanted.common, [&]() -> Measure {
        return [bench = std::make_shared<LoadBench>(workload, params, make, wanted.load)] {
            return bench->measure();
        };
    });
}

Command add_lru(CLI::App& bench) {
    struct Lru : Wanted {
        workloads::ChurnParameters rings{.oldest_first = true};
    };
    const auto wanted = std::make_shared<Lru>();
    CLI::App* command = bench.add_subcommand(
        "lru", "a cache of rings: each operation replaces the oldest; automatic collection");
    add_cycle_size(command, wanted->rings.cycle_size);
    add_order(command, wanted->rings);
    add_load_options(command, *wanted);
    return {command, [wanted] {
                const workloads::ChurnParameters& rings = wanted->rings;
                return measure("lru", *wanted, rings.cycle_size,
                               {{"live", wanted->live},
                                {"cycle_size", rings.cycle_size},
                                {"shuffled", rings.shuffled},
                                {"unflagged", rings.unflagged_percent}},
                               [wanted](unsigned worker, unsigned workers) {
                                   workloads::ChurnParameters own = wanted->rings;
                                   own.live = wanted->live / workers;
                                   own.seed = wanted->common.seed + worker;
                                   return std::make_unique<workloads::Churn>(own);
                               });
            }};
}

Command add_server(CLI::App& bench) {
    struct Requests : Wanted {
        workloads::ServerParameters server;
    };
    const auto wanted = std::make_shared<Requests>();
    CLI::App* command = bench.add_subcommand(
        "server", "requests: each builds a small graph, looks at sessions, and drops it");
    command
        ->add_option("--cyclic", wanted->server.cyclic_percent,
                     "per cent of the requests whose graphs have cycles")
        ->check(decimal(0, 100))
        ->capture_default_str();
    add_load_options(command, *wanted);
    return {command, [wanted] {
                return measure("server", *wanted, 2,
                               {{"live", wanted->live}, {"cyclic", wanted->server.cyclic_percent}},
                               [wanted](unsigned worker, unsigned workers) {
                                   workloads::ServerParameters own = wanted->server;
                                   own.live = wanted->live / workers;
                                   own.seed = wanted->common.seed + worker;
                                   return std::make_unique<workloads::Server>(own);
                               });
            }};
}

Command add_adversary(CLI::App& bench) {
    struct Hard : Wanted {
        workloads::AdversaryParameters adversary;
    };
    const auto wanted = std::make_shared<Hard>();
    CLI::App* command = bench.add_subcommand(
        "adversary", "what is hard on a collector that works beside its mutators, and lru besides");
    command->add_option("--kind", wanted->adversary.kind, "what the mutators do all the time")
        ->check(CLI::IsMember(workloads::adversary_kinds()))
        ->type_name(joined(workloads::adversary_kinds()))
        ->required();
    command->add_option("--depth", wanted->adversary.depth, "deep: lists of a chain")
        ->check(decimal(1, 1u << 24))
        ->capture_default_str();
    add_cycle_size(command, wanted->adversary.garbage.cycle_size);
    add_order(command, wanted->adversary.garbage);
    add_load_options(command, *wanted);
    return {command, [wanted] {
                const workloads::AdversaryParameters& adversary = wanted->adversary;
                return measure("adversary", *wanted, 2 * adversary.garbage.cycle_size,
                               {{"kind", adversary.kind},
                                {"live", wanted->live},
                                {"depth", adversary.depth},
                                {"cycle_size", adversary.garbage.cycle_size},
                                {"shuffled", adversary.garbage.shuffled},
                                {"unflagged", adversary.garbage.unflagged_percent}},
                               [wanted](unsigned worker, unsigned workers) {
                                   workloads::AdversaryParameters own = wanted->adversary;
                                   own.live = wanted->live / workers;
                                   own.garbage.seed = wanted->common.seed + worker;
                                   return workloads::new_adversary(own);
                               });
            }};
}

Command add_cycles(CLI::App& bench) {
    struct Cycles {
        Common common;
        CyclesOptions options;
    };
    const auto wanted = std::make_shared<Cycles>();
    CLI::App* command = bench.add_subcommand(
        "cycles", "garbage in one component or in many, collected beside a live set");
    CyclesOptions& options = wanted->options;
    command
        ->add_option("--shape", options.shape,
                     "one ring of all; a small ring and the rest hanging off it; rings of ten")
        ->transform(CLI::CheckedTransformer(cycle_shapes()))
        ->default_str("ring")
        ->type_name("ring|chain|rings");
    command->add_option("--objects", options.objects, "of the garbage")
        ->check(decimal(10, 1u << 30))
        ->capture_default_str();
    command->add_option("--live", options.live, "containers of the live set")
        ->check(decimal(4, 1u << 30))
        ->capture_default_str();
    command->add_option("--collections", options.collections, "of as much garbage each")
        ->check(decimal(1, 1'000'000))
        ->capture_default_str();
    add_common(command, wanted->common);
    return {command, [wanted] {
                wanted->options.seed = wanted->common.seed;
                return run_workload("cycles", wanted->common,
                                    [&] { return bench_cycles(wanted->options); });
            }};
}

}  // namespace

std::vector<Command> add_loads(CLI::App& bench) {
    return {add_lru(bench), add_server(bench), add_adversary(bench), add_cycles(bench)};
}

}  // namespace ouro::runner
