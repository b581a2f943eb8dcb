// Measuring what N threads do at once, and N processes in turn with them.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>

#include "experiments/runner/clock.hpp"
#include "experiments/runner/team.hpp"
#include "experiments/workloads/description.hpp"

namespace ouro::runner {

struct TeamPlan {
    unsigned threads = 1;
    unsigned rounds = 1;
    Prepare prepare;
    nlohmann::json
        live{};  // containers of all threads that live as long as the run; null: not told
    // What an operation costs besides; set while the threads are prepared. Null: it is not known.
    std::shared_ptr<nlohmann::json> floor_ns_per_op{};
};

// To be called before the runtime starts: the processes, if there are more threads than one, are made here.
// Throws std::runtime_error.
workloads::Measure begin_team(TeamPlan plan);

// Of the table of such a row (table.hpp).
void print_team(const nlohmann::json& row);

// The parameters of a team.
workloads::Parameter team_threads();
workloads::Parameter team_rounds();

// How many times longer a run takes than one thread's work, on two cores: threads and, with more than one, as many
// processes, in turn.
double team_turns(const workloads::Values& values);

// A share of a number for each round, at least one.
uint64_t part_of(uint64_t whole, unsigned rounds);
// A round of so many seconds for all of them; 0 if that is null.
int64_t ns_of_round(const nlohmann::json& seconds, unsigned rounds);

// Calls `step`, which makes `each` operations, until there are as many as wanted or, unless `ns` is 0, for so long.
// Returns how many.
template <typename Step>
uint64_t repeat(uint64_t operations, int64_t ns, uint64_t each, Step step) {
    const int64_t end = wall_ns() + ns;
    uint64_t done = 0;
    do {
        step();
        done += each;
    } while (ns > 0 ? wall_ns() < end : done < operations);
    return done;
}

}  // namespace ouro::runner
