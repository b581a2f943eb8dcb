// What a search varies, and what a run must do to pass.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/runner/run/experiment.hpp"

namespace ouro::runner {

// What is varied: the data segment that the system lets the process have (RLIMIT_DATA: all memory that is
// private and can be written, thread stacks and tables of the runtime included), a setting, or a
// parameter of the workload.
struct Quantity {
    enum class Kind { kData, kSetting, kParameter };
    Kind kind = Kind::kData;
    std::string name;
    std::string unit;  // "MiB", "/s"; or empty
    bool smallest = true;
    int64_t least = 0, greatest = 0;  // what is allowed
    int64_t from = 0, to = 0;         // where it is looked for
    double within = 0.05;             // how near is near enough, a part of the value
};

// "data", a setting with a range, a parameter that is a number, or `load` (operations a second), each as at
// least one of the experiment's workloads has it. Throws BadExperiment, which names what is allowed.
Quantity quantity_of(const std::string& name, const Experiment& experiment);

// What a run must do to pass.
struct Criterion {
    enum class Kind { kSurvives, kKeepsUp, kCpu };
    Kind kind = Kind::kSurvives;
    double number =
        0;  // kKeepsUp: per cent of the operations due; kCpu: times the CPU time at the easy bound
};
inline constexpr const char* kCriteria = "survives|keeps-up|keeps-up=PERCENT|cpu=FACTOR";

// "survives", "keeps-up" (99 per cent), "keeps-up=95", "cpu=1.1"; nothing if it is none of these.
std::optional<Criterion> parse_criterion(const std::string& text);
std::string text_of(const Criterion& criterion);

// A configuration with a subject: each has an answer of its own.
struct Target {
    size_t configuration, subject;  // in the experiment
};
std::vector<Target> targets_of(const Experiment& experiment, const Quantity& quantity);

// What is wrong with the three together; empty if nothing is.
std::string search_problem(const Experiment& experiment, const Quantity& quantity,
                           const Criterion& criterion);

// The workload's parameters, or the subject, with a value of what is varied.
nlohmann::json with_value(const nlohmann::json& parameters, const Quantity& quantity,
                          int64_t value);
Subject with_value(const Subject& subject, const Quantity& quantity, int64_t value);

// Of a command that runs another one with less memory, the first word; the third is the other's.
inline constexpr const char* kLimiter = "prlimit";
// The steps of one probe.
Steps probe_commands(const Experiment& experiment, const Quantity& quantity, const Target& target,
                     int64_t value, uint64_t seed);

// "16 MiB", "20000/s", "growth-limit 200": a value as people read it.
std::string value_text(const Quantity& quantity, int64_t value);
}  // namespace ouro::runner
