// What an experiment can run: a table of workloads, each with its parameters, our command line and
// the interpreters'. Those that describe themselves (workloads/description.hpp) are in it of themselves; catalogue.cpp
// has an entry for each whose measuring is its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
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
};
Places places();

// One of what is compared: a program of ours with its settings, an interpreter, or another runtime.
struct Subject {
    enum class Kind { kOurs, kPython, kPeer };
    Kind kind = Kind::kOurs;
    std::string name;     // "ouro-stw", "cpython-3.11.2", "cpython-3.14.0t", "cppgc-concurrent"
    std::string program;  // path of the command, of the interpreter or of the peer's `run`
    std::vector<std::pair<std::string, std::string>> settings;       // ours only
    std::string version;                                             // what it says of itself
    bool one_thread = false;                                         // all that its build is for
    std::vector<std::string> workloads{};                            // that it runs; empty: all
    Words arguments{};                                               // of a peer's variant
    std::vector<std::pair<std::string, std::string>> environment{};  // the same
};

using workloads::Parameter;

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

struct Workload {
    std::string name;
    std::string summary;
    std::vector<Parameter> parameters;
    // What a subject runs, where it is not simply `ouro bench NAME`, or the script of peers/cpython
    // under the interpreter, with a flag for each parameter and the seed.
    std::string script{};
    bool numbers = false;  // the script reads `ouro numbers`
    Steps (*ours)(const Call& call) = nullptr;
    Steps (*peer)(const Call& call) = nullptr;
    // A guess: seconds that a run takes.
    std::function<double(Subject::Kind kind, const nlohmann::json& parameters)> seconds;
    // Bytes that what it makes takes at its peak, rather too few than too many: measured with 10^5 to 10^6
    // objects, here and in CPython 3.11. And what it leaves, where that is known, if nothing is collected.
    std::function<double(Subject::Kind kind, const nlohmann::json& parameters)> bytes;
    std::function<double(const nlohmann::json& parameters)> uncollected{};
    // The parameter that rows call `objects`: how large the heap is; empty: the input decides.
    std::string size{};
    // What rows call so, where no parameter is it.
    uint64_t (*objects)(const nlohmann::json& parameters) = nullptr;
    // What is wrong with a combination of values; empty if nothing is.
    std::function<std::string(const nlohmann::json& parameters)> problem{};
    // Its name in rows, if the parameters have a say in that.
    std::string (*title)(const nlohmann::json& parameters) = nullptr;
    // What the first interpreter runs and keeps alive, in each invocation, from a first run that
    // captures its heap for ours to read, to a later one that collects that heap beside ours, and
    // then drops it. Null: interpreters run as ours do. No other interpreter takes part.
    Words (*server)(const Call& call) = nullptr;
    bool captures() const { return server != nullptr; }
    // Whether with these values there is nothing to compare it with but subjects of ours.
    std::function<bool(const nlohmann::json& parameters)> ours_alone{};
    bool peers = false;  // whether those of experiments/peers run it
    // What figures of it must say that it does not show; the gate asks for it.
    std::string not_covered{};
    bool takes(const Subject& subject, const nlohmann::json& values) const {
        if (!subject.workloads.empty() &&
            std::ranges::find(subject.workloads, name) == subject.workloads.end()) {
            return false;
        }
        switch (subject.kind) {
            case Subject::Kind::kOurs:
                return !subject.one_thread || values.value("threads", 1) == 1;
            case Subject::Kind::kPython:
                return ours_alone == nullptr || !ours_alone(values);
            case Subject::Kind::kPeer:
                return peers;
        }
        return false;
    }

    Steps commands(const Call& call) const;
    // Bytes that a run needs at least.
    double memory(const Subject& subject, const nlohmann::json& values) const;
    uint64_t objects_of(const nlohmann::json& values) const {
        return objects == nullptr ? values.value(size, uint64_t{0}) : objects(values);
    }
    std::string title_of(const nlohmann::json& values) const {
        return title == nullptr ? name : title(values);
    }
};

// Every workload. The words that depend on the files of this build (captured programs) are read from
// them once.
const std::vector<Workload>& catalogue();
// Null if none has this name.
const Workload* find_workload(const std::string& name);
// Of these that of catalogue_slices.cpp.
Workload slices_workload();
// And those of catalogue_described.cpp.
std::vector<Workload> described_workloads();

}  // namespace ouro::runner
