// What a workload survives: the smallest or largest value of one number at which its runs pass.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "experiments/runner/run/experiment.hpp"
#include "experiments/runner/run/process.hpp"
#include "experiments/runner/run/quantity.hpp"
#include "experiments/runner/run/record.hpp"
#include "experiments/runner/run/schema.hpp"

namespace ouro::runner {

class Search {
public:
    // Throws BadDirectory if the record is of another search or build.
    Search(const Experiment& experiment, const Quantity& quantity, const Criterion& criterion,
           Record& record, const Words& command_line);

    // Makes the probes that are left and prints each. False if it was interrupted.
    bool find(const Interrupts& interrupts);
    // One for each target, as meta.json has them: search.schema.json.
    const nlohmann::json& answers() const { return meta_.at("answers"); }

private:
    // All runs of one value.
    struct Verdict {
        bool passed = true;
        bool interrupted = false;
        double measured = 0;  // what the criterion looks at: the median, or the least
        std::string reason;   // of the run that failed
    };
    void check_identity() const;
    Verdict verdict_of(size_t place, int64_t value, bool reference, const Interrupts& interrupts);
    nlohmann::json probe(size_t place, int64_t value, unsigned number,
                         const Interrupts& interrupts);
    void judge(nlohmann::json& row) const;

    const Experiment& experiment_;
    Quantity quantity_;
    Criterion criterion_;
    Record& record_;
    std::vector<Target> targets_;
    Places places_ = places();
    Schemas schemas_;
    nlohmann::json meta_;
    std::map<std::tuple<size_t, int64_t, unsigned>, nlohmann::json> made_;  // target, value, number
    double reference_ = 0;  // CPU time at the easy bound
};

// An answer in a line.
std::string answer_text(const nlohmann::json& answer, const Quantity& quantity);

}  // namespace ouro::runner
