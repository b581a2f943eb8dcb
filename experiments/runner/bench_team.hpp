// Measuring what N threads do at once: `rc-storm`, `gcbench`, and `churn` with more than one thread.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "experiments/runner/bench_churn.hpp"
#include "experiments/runner/team.hpp"

namespace ouro::runner {

struct TeamOptions {
    unsigned threads = 1;
    unsigned rounds = 5;
};

// Whose the shared objects are: the first thread's, one's that has exited (the next thread to begin
// inherits them), or one's that is blocked all the time.
enum class Owner { kFirst, kExited, kBlocked };
// As the command and its rows have them.
const std::map<std::string, Owner>& owners();

struct StormOptions {
    TeamOptions team;
    uint32_t shared = 0;                // per cent of the operations
    uint32_t objects = 1000;            // of each thread, and of all together
    Owner owner = Owner::kFirst;        // of the shared ones
    uint64_t operations = 100'000'000;  // of a thread, in all rounds
    std::optional<uint64_t> seconds;    // goes on for so long instead
    uint64_t seed = 1;
};

struct GcBenchOptions {
    TeamOptions team;
    unsigned depth = 16;
    uint32_t array = 500'000;
};

// A workload whose processes, if it is to be compared with any, wait already. To be made before the
// runtime starts; measured after.
class TeamBench {
public:
    explicit TeamBench(const StormOptions& options);
    explicit TeamBench(const GcBenchOptions& options);
    TeamBench(const ChurnOptions& options, const TeamOptions& team);
    ~TeamBench();

    // The result row (experiments/schema). Throws std::bad_alloc and std::runtime_error.
    nlohmann::json measure();

private:
    struct Plan;
    explicit TeamBench(std::unique_ptr<Plan> plan);
    std::unique_ptr<Plan> plan_;
};

}  // namespace ouro::runner
