// One session of an experiment: from its first run, or the first that an earlier session did not
// finish, to the last or an interruption.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "experiments/runner/run/experiment.hpp"
#include "experiments/runner/run/part.hpp"
#include "experiments/runner/run/plan.hpp"
#include "experiments/runner/run/process.hpp"
#include "experiments/runner/run/record.hpp"
#include "experiments/runner/run/schema.hpp"
#include "experiments/runner/run/server.hpp"

namespace ouro::runner {

// The commands of a run whose results go to a directory.
Steps commands_of(const Run& run, size_t place, const Experiment& experiment, const Places& places,
                  const std::filesystem::path& directory);

class Session {
public:
    // Throws BadDirectory if the record is of another experiment, shard, build or machine.
    Session(const Experiment& experiment, Record& record, Words command_line, Part part);

    // How many runs it would make; those that failed earlier again if asked.
    size_t prepare(bool failed_too);
    // Makes them. False if it was interrupted. What ended is recorded as it ends.
    bool measure(const Interrupts& interrupts);
    // How many runs of its part have no result, those of earlier sessions included.
    size_t without_result() const;

private:
    void check_identity() const;
    void read_rows();
    void write_meta(bool ended);
    std::string obstacle(const Run& run) const;
    nlohmann::json begin_row(size_t place) const;
    nlohmann::json execute(size_t place, const Interrupts& interrupts);
    void make_run(size_t place, const Interrupts& interrupts, nlohmann::json& row);
    Surroundings surroundings_of(size_t place) const;
    nlohmann::json answer_of(Outcome& outcome, const Run& run, const Call& call);
    Outcome run_alone(size_t place, const Interrupts& interrupts, nlohmann::json& result);
    nlohmann::json ask(Server& server, const std::string& request, double timeout,
                       const Interrupts& interrupts, double& seconds);
    Outcome run_served(size_t place, const Interrupts& interrupts, nlohmann::json& result);
    void end_servers(std::vector<size_t>::const_iterator next);
    double timeout_of(const Run& run) const;

    const Experiment& experiment_;
    Record& record_;
    Words command_line_;
    Part part_;
    Places places_ = places();
    Schemas schemas_;
    std::vector<Run> plan_;
    std::vector<size_t> left_;
    std::map<size_t, std::string> statuses_;  // of each run of the plan that was begun
    // An interpreter that keeps a captured heap: of a configuration, in one invocation.
    struct Served {  // NOLINT(bugprone-exception-escape): a json is moved without a throw
        unsigned invocation;
        std::unique_ptr<Server> server;
        nlohmann::json result;  // of the capture
    };
    std::map<size_t, Served> served_;
    nlohmann::json meta_;
};

}  // namespace ouro::runner
