// The same work by N threads of one process and, beside them, by N processes of one thread each: what
// it costs to share a runtime. Both in turn, round by round, so that a disturbance hits both.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace ouro::runner {

// One worker's round: does it, and says how many operations that were.
using Round = std::function<uint64_t()>;
// Makes what one worker works on, in its thread; the result is destroyed there.
using Build = std::function<Round(unsigned worker)>;
// Makes what the workers of a process share, its runtime started, before any of them begins.
using Prepare = std::function<Build()>;

// One worker's round, by the clock that all processes have.
struct Sample {
    int64_t start_ns = 0;
    int64_t end_ns = 0;
    uint64_t operations = 0;
};

// Processes that wait for their turn. To be made before the runtime starts: they are forks of this one.
class Crew {
public:
    Crew(unsigned processes, const Prepare& prepare);
    ~Crew();
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    // A round of all of them at once. Throws std::runtime_error if one has ended.
    std::vector<Sample> round();

private:
    struct Member {
        pid_t pid;
        int go, done;  // ends of pipes
    };
    std::vector<Member> members_;
};

struct TeamRound {
    std::vector<Sample> threads, processes;
};

// Runs so many rounds; those of `crew`, if there is one, between those of the threads. Throws what
// the work throws.
std::vector<TeamRound> run_team(unsigned threads, unsigned rounds, const Prepare& prepare,
                                Crew* crew);

}  // namespace ouro::runner
