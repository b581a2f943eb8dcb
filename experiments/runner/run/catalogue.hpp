// What an experiment can run: the workloads (workloads/description.hpp), and the command lines that run them here, in
// interpreters and in programs of experiments/peers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "experiments/workloads/description.hpp"

namespace ouro::runner {

using Words = std::vector<std::string>;  // one process: program and arguments
using Pipe = std::vector<Words>;         // each process reads what the one before it writes
using Steps = std::vector<Pipe>;         // one after the other; the last one's output is the answer

// Where things are that this build came with.
struct Places {
    std::string ouro;                   // the running program
    std::filesystem::path library;      // libouroboros.so
    std::filesystem::path experiments;  // peers, capture, schema
    std::filesystem::path peers;        // what `experiments/peers/build` made
    std::filesystem::path package;      // has the Python package of the bridge
};
Places places();

// One of what is compared: a program of ours with its settings, an interpreter, or another runtime.
struct Subject {
    using Kind = workloads::Kind;
    Kind kind = Kind::kOurs;
    std::string name;     // "ouro-stw", "cpython-3.11.2", "cpython-3.14.0t", "cppgc-concurrent"
    std::string program;  // path of the command, of the interpreter or of the peer's `run`
    std::vector<std::pair<std::string, std::string>> settings;  // ours only
    std::string version;                                        // what it says of itself
    bool one_thread = false;                                    // all that its build is for
    std::vector<std::string> workloads{};                       // that it runs; empty: all
    Words arguments{};  // of a peer's variant; what an interpreter runs a script with
    std::vector<std::pair<std::string, std::string>> environment{};  // the same
    bool free_threaded = false;  // an interpreter without a lock
    std::string configured{};    // what an interpreter says of how it was built
};

using workloads::Parameter;
using Workload = workloads::Description;

// What the command lines of one run are made of.
struct Call {
    const Places& places;
    const Subject& subject;
    const nlohmann::json& parameters;  // a value for each of the workload's
    uint64_t seed;
    std::filesystem::path captured;  // what the capture leaves to the others of its invocation
    std::filesystem::path events;    // where ours records its events; empty: nowhere
    bool force = false;              // ours begins though it cannot fit in memory
};

// The Python scripts of a folder, by name, without their extension; none if there is no such folder.
std::vector<std::string> scripts_in(const std::filesystem::path& folder);

// Every workload, in the order of their names, each with the parameters that experiments give it: those that describe
// themselves, the heap of a captured program, and a Python program that runs.
const std::vector<Workload>& catalogue();
// Null if none has this name.
const Workload* find_workload(const std::string& name);

// Whether this subject runs it with these values.
bool takes(const Workload& workload, const Subject& subject, const workloads::Values& values);
Steps commands(const Workload& workload, const Call& call);
// A guess: seconds that a run takes.
double seconds_of(const Workload& workload, Subject::Kind kind, const workloads::Values& values);
// Bytes that a run needs at least.
double memory_of(const Workload& workload, const Subject& subject, const workloads::Values& values);
// "live: found 3; allowed: at least cycle-size, 4": what is wrong with values taken together; empty if nothing is.
std::string problem_of(const Workload& workload, const workloads::Values& values);

// Of which command lines are made: `ouro bench WORKLOAD` with the subject's settings, and the flags of some parameters
// in this order (a switch is a flag of its own, null is none), and of the seed.
Words bench_words(const Call& call, const std::string& workload);
void add_flags(Words& words, const workloads::Values& values,
               const std::vector<std::string>& parameters);
void add_seed(Words& words, const Call& call);

}  // namespace ouro::runner
