// An experiment: what a file asks for, checked. experiments/configs/README.md describes the file.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "experiments/runner/run/catalogue.hpp"
#include "experiments/runner/run/cpus.hpp"

namespace ouro::runner {

// A workload with one value for each of its parameters.
struct Configuration {
    const Workload* workload;
    nlohmann::json parameters;
    unsigned invocations;
    double timeout;       // seconds a run may take; 0: twelve times the guess, at least a minute
    bool events = false;  // every event of ours is kept
    // Each run of ours twice, an A/A pair, in every so manyth invocation, the first one first; 0: in none.
    unsigned noise_floor = 1;
    unsigned level = 0;   // in fill-in order: those of a lower one come first
    std::string place{};  // "FILE:LINE:COLUMN" of its table
};

struct SourceFile {
    std::string path, text;
};

// What must be installed or built before an experiment is run, as it says.
struct Needs {
    std::string micro;                // microbenchmarks, a regular expression
    std::vector<std::string> builds;  // beside this one: "plain"
    std::vector<std::string> peers;   // "auto", NAME or NAME/VARIANT
    bool bridge = false;              // the extension module of core/bridge
};

struct Experiment {
    std::string title;
    uint64_t seed = 1;
    unsigned noise_floor = 1;            // of workloads that do not say
    bool events = false;                 // of workloads that do not say
    bool fill_in = false;                // the ends and the middle of each sweep first
    bool force = false;                  // what cannot fit in memory is run
    Cpus pin{};                          // of subjects that do not say
    std::map<std::string, Cpus> pins{};  // by the subject's name
    std::vector<Configuration> configurations;
    std::vector<Subject> subjects;
    std::vector<SourceFile> files;       // as read: the named one last, what it includes before it
    std::vector<std::string> overrides;  // "key=value"
    std::vector<std::string> warnings;   // interpreters that were looked for and left out
    Needs needs{};
    // Subjects that were asked for and cannot run here, each with the reason.
    std::vector<std::pair<std::string, std::string>> skipped{};

    const Cpus& pin_of(const Subject& subject) const {
        const auto own = pins.find(subject.name);
        return own == pins.end() ? pin : own->second;
    }
};

// What is wrong with an experiment: a line each, with file, line and column.
class BadExperiment : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Where an experiment is written: a file, or a text that is called `name` in messages, is correct TOML and
// includes nothing.
struct ConfigSource {
    std::string name;
    std::optional<std::string> text{};
};

// Reads and checks an experiment, and asks its interpreters for their versions. `overrides` are
// "key=value" or "workload.NAME.key=value", `interpreters` are added to its subjects.
// Throws BadExperiment with every mistake that there is. `ready`: that no subject is there is one, too.
Experiment read_experiment(const ConfigSource& source, const std::vector<std::string>& overrides,
                           const std::vector<std::string>& interpreters, bool ready = true);

}  // namespace ouro::runner
