// `rc-storm`: nothing but counting, by one thread or several.
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/runner/bench_team.hpp"
#include "experiments/workloads/description.hpp"
#include "experiments/workloads/storm.hpp"
#include "experiments/workloads/threads.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;
using workloads::Described;
using workloads::Kind;
using workloads::Parameter;
using workloads::Storm;
using workloads::StormObjects;
using workloads::Values;

double walk_ns(Storm& storm) {
    constexpr int kChunks = 1000;
    const int64_t start = wall_ns();
    for (int i = 0; i < kChunks; ++i) {
        storm.walk();
    }
    return static_cast<double>(wall_ns() - start) / (kChunks * static_cast<double>(Storm::kChunk));
}

struct Options {
    uint32_t shared;      // per cent of the operations
    uint32_t objects;     // of each thread, and of all together
    std::string owner;    // of the shared ones
    uint64_t operations;  // of a thread, in each round
    int64_t ns;           // a round goes on for so long instead, unless it is 0
    uint64_t seed;
};

// The shared objects are the first thread's, or one's that has exited (the next thread to begin inherits them), or
// one's that is blocked all the time.
Prepare storm_of(const Options& options, const std::shared_ptr<json>& floor) {
    return [=]() -> Build {
        std::shared_ptr<StormObjects> shared;
        const auto make = [&] { shared = std::make_shared<StormObjects>(options.objects); };
        std::shared_ptr<workloads::BlockedThread> owner;
        if (options.owner == "exited") {
            workloads::run_in_exited_thread(make);
        } else if (options.owner == "blocked") {
            owner = std::make_shared<workloads::BlockedThread>(make);
        } else {
            make();
        }
        return [=](unsigned worker) -> Round {
            const auto storm = std::make_shared<Storm>(options.objects, *shared, options.shared,
                                                       options.seed + worker);
            if (worker == 0) {
                *floor = walk_ns(*storm);
            }
            return [=, owner = owner] {
                return repeat(options.operations, options.ns, Storm::kChunk, [&] { storm->run(); });
            };
        };
    };
}

workloads::Measure begin(const Values& values, uint64_t seed) {
    const unsigned rounds = values.at("rounds");
    const json& operations = values.at("operations");
    const Options options{
        .shared = values.at("shared"),
        .objects = values.at("objects"),
        .owner = values.at("owner"),
        .operations = operations.is_null() ? 0 : part_of(operations.get<uint64_t>(), rounds),
        .ns = ns_of_round(values.at("seconds"), rounds),
        .seed = seed};
    const auto floor = std::make_shared<json>();
    const Prepare prepare = storm_of(options, floor);
    return begin_team({.threads = values.at("threads"),
                       .rounds = rounds,
                       .prepare = prepare,
                       .floor_ns_per_op = floor});
}

const Described rc_storm({
    .name = "rc-storm",
    .summary = "nothing but counting: references to objects of a thread's own, or shared",
    .parameters =
        {team_threads(),
         Parameter::number("shared", 0, 0, 100,
                           "per cent of the operations on objects that all threads share"),
         Parameter::number("objects", 1000, 1, 1 << 30, "of each thread, and as many shared ones"),
         Parameter::word("owner", {"first", "exited", "blocked"},
                         "of the shared ones: the first thread, one that has exited, or one that "
                         "is blocked"),
         Parameter::number("operations", 100'000'000, 1, int64_t{1} << 50,
                           "of each thread, in all rounds"),
         team_rounds(),
         Parameter::seconds_instead_of({"operations"},
                                       "goes on for so long instead, all rounds together")},
    .size = "objects",
    .begin = begin,
    .print = print_team,
    .seconds =
        [](Kind, const Values& values) {
            return 0.1 + 15e-9 * values.at("operations").get<double>() * team_turns(values);
        },
    .bytes =
        [](Kind, const Values& values) {
            return 40 * values.at("objects").get<double>() *
                   (values.at("threads").get<double>() + 1);
        },
    .not_covered = "counting and nothing else: no allocation, no collection",
});

}  // namespace
}  // namespace ouro::runner
