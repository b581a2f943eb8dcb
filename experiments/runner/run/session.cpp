#include "experiments/runner/run/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "experiments/runner/run/answer.hpp"
#include "experiments/runner/run/captured.hpp"
#include "experiments/runner/run/identity.hpp"
#include "experiments/runner/run/log.hpp"
#include "experiments/runner/run/machine.hpp"
#include "experiments/runner/run/others.hpp"
#include "experiments/runner/run/progress.hpp"
#include "experiments/workloads/nesting.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;
using Status = Outcome::Status;

std::filesystem::path captured_file(const Run& run, const Experiment& experiment,
                                    const std::filesystem::path& directory) {
    const Configuration& wanted = experiment.configurations[run.configuration];
    std::string name = wanted.workload->title_of(wanted.parameters);
    std::ranges::replace(name, ':', '-');
    return directory / "captured" / fmt::format("{}-{}.heap", run.configuration, name);
}

std::filesystem::path events_file(const Run& run, size_t place, const Experiment& experiment,
                                  const std::filesystem::path& directory) {
    const Subject& subject = experiment.subjects[run.subject];
    if (!experiment.configurations[run.configuration].events ||
        subject.kind != Subject::Kind::kOurs) {
        return {};
    }
    return directory / "events" / fmt::format("{:05}-{}.jsonl", place, subject.name);
}

// From the results directory.
std::string log_file(size_t place, const Subject& subject) {
    return fmt::format("logs/{:05}-{}.log", place, subject.name);
}

// What other processes do before the first run, looked at for a moment.
json others_now() {
    const Others others;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return others.so_far();
}

// A run's outcome in a few words: the pause with everything alive, or what an operation took.
std::string note(const json& row) {
    const json& result = row.at("result");
    const auto number = [&](const char* key) {
        const auto at = result.find(key);
        return at != result.end() && at->is_number() ? at->get<double>() : 0.0;
    };
    if (row.at("status") != "ok") {
        return row.at("status");
    }
    if (number("ns_per_op") > 0) {
        return fmt::format("{:.0f} ns an operation", number("ns_per_op"));
    }
    // Those that a collection looks at: of young ones it is not all that are alive.
    const double objects =
        result.contains("young_objects") ? number("young_objects") : number("live_objects");
    const double alive = number("live_collect_ns");
    return objects == 0 || alive == 0
               ? "ok"
               : fmt::format("{:.1f} ms, {:.0f} ns an object", alive / 1e6, alive / objects);
}

double monotonic_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

Call call_of(const Run& run, size_t place, const Experiment& experiment, const Places& places,
             const std::filesystem::path& directory) {
    return {places,
            experiment.subjects[run.subject],
            experiment.configurations[run.configuration].parameters,
            run.seed,
            captured_file(run, experiment, directory),
            events_file(run, place, experiment, directory),
            experiment.force};
}

}  // namespace

Steps commands_of(const Run& run, size_t place, const Experiment& experiment, const Places& places,
                  const std::filesystem::path& directory) {
    const Workload& workload = *experiment.configurations[run.configuration].workload;
    return commands(workload, call_of(run, place, experiment, places, directory));
}

Session::Session(const Experiment& experiment, Record& record, Words command_line, Part part)
    : experiment_(experiment), record_(record), command_line_(std::move(command_line)),
      part_(std::move(part)), schemas_(places_.experiments / "schema"),
      plan_(make_plan(experiment)) {
    meta_ = identity_of(experiment_);
    meta_["command"] = command_line_;
    meta_["machine"] = describe_machine();
    meta_["build"] = describe_build(places_);
    meta_["build"]["fingerprint"] = fingerprint(places_, experiment_.subjects);
    // Of the whole shard, so that what is complete does not depend on the session.
    const Part whole_shard{part_.shard};
    meta_["runs_planned"] = places_of(whole_shard, plan_, experiment_).size();
    meta_["shard"] =
        part_.shard ? json({{"number", part_.shard->number}, {"of", part_.shard->of}}) : json();
    meta_["skipped"] = json::array();
    for (const auto& [name, reason] : experiment_.skipped) {
        meta_["skipped"].push_back({{"name", name}, {"reason", reason}});
    }
    meta_["started"] = utc_now();
    meta_["sessions"] = json::array();
    if (!record_.found_meta().is_null()) {
        check_identity();
        meta_["started"] = record_.found_meta().at("started");
        meta_["sessions"] = record_.found_meta().at("sessions");
        read_rows();
    }
    meta_["sessions"].push_back({{"started", utc_now()},
                                 {"ended", nullptr},
                                 {"command", command_line_},
                                 {"load_before", meta_["machine"]["load_before"]},
                                 {"others_before", others_now()}});
    for (const json& each : meta_["sessions"]) {
        json& load = meta_["machine"]["load_before"];
        load = std::max(load, each.at("load_before"));
    }
}

void Session::check_identity() const {
    const json& found = record_.found_meta();
    const auto refuse = [&](const std::string& what) {
        throw BadDirectory(
            fmt::format("{} cannot be resumed: {}", record_.directory().string(), what));
    };
    if (found.contains("machines")) {
        refuse("it was merged from shards; go on with those, and merge them again");
    }
    const std::string key = first_difference(found, meta_);
    if (key == "seed") {
        refuse(fmt::format("its seed was {}, now it is {}", found.value("seed", json()).dump(),
                           experiment_.seed));
    } else if (key == "overrides") {
        refuse(fmt::format("it was begun with --set {}, now it is {}",
                           found.value("overrides", json()).dump(), meta_.at("overrides").dump()));
    } else if (key == "config") {
        refuse("the configuration file is another, or was changed since");
    } else if (key == "subjects") {
        refuse("its subjects are others: another interpreter, or another version of one");
    } else if (key == "configurations") {
        refuse("its configurations are others");
    }
    const auto shard_text = [](const json& shard) {
        return shard.is_null()
                   ? std::string("the whole")
                   : fmt::format("shard {}/{}", shard.value("number", 0), shard.value("of", 0));
    };
    if (const json then = found.value("shard", json()); then != meta_.at("shard")) {
        refuse(fmt::format("it was begun as {}, now it is {}", shard_text(then),
                           shard_text(meta_.at("shard"))));
    }
    if (found.value("build", json::object()).value("fingerprint", json()) !=
        meta_.at("build").at("fingerprint")) {
        refuse("the ouro command, its library, a peer, a script or the bridge was changed or "
               "rebuilt since");
    }
    if (const std::string what = machine_difference(found, meta_); !what.empty()) {
        refuse(fmt::format("it was begun on another machine ({} differs)", what));
    }
}

void Session::read_rows() {
    for (const json& row : record_.rows()) {
        const size_t place = row.at("run").get<size_t>();
        if (place >= plan_.size()) {
            throw BadDirectory(fmt::format("{}: runs.jsonl has a run {} that is not in the plan",
                                           record_.directory().string(), place));
        }
        const std::string status = row.at("status");
        statuses_[place] = status;
    }
}

size_t Session::prepare(bool failed_too) {
    left_ = left_to_do(plan_, experiment_, statuses_, failed_too);
    std::erase_if(left_, [this](size_t place) { return !part_.takes(plan_[place], experiment_); });
    return left_.size();
}

size_t Session::without_result() const {
    const std::vector<size_t> wanted = places_of(part_, plan_, experiment_);
    return static_cast<size_t>(std::ranges::count_if(wanted, [this](size_t place) {
        const auto known = statuses_.find(place);
        return known == statuses_.end() || known->second != "ok";
    }));
}

void Session::write_meta(bool ended) {
    json& session = meta_["sessions"].back();
    session["ended"] = ended ? json(utc_now()) : json();
    meta_["ended"] = session["ended"];
    const auto final = [](const auto& entry) { return entry.second != "interrupted"; };
    meta_["complete"] =
        static_cast<size_t>(std::ranges::count_if(statuses_, final)) == meta_["runs_planned"];
    meta_["same_build"] =
        meta_["build"]["fingerprint"] == json(fingerprint(places_, experiment_.subjects));
    record_.write_meta(meta_);
}

Surroundings Session::surroundings_of(size_t place) const {
    const Subject& subject = experiment_.subjects[plan_[place].subject];
    return {experiment_.pin_of(subject), record_.directory() / log_file(place, subject)};
}

double Session::timeout_of(const Run& run) const {
    const double wanted = experiment_.configurations[run.configuration].timeout;
    return wanted > 0 ? wanted : std::max(60.0, 12 * run.estimate);
}

// Why a run cannot be made now; empty if it can.
std::string Session::obstacle(const Run& run) const {
    const Configuration& wanted = experiment_.configurations[run.configuration];
    const Subject& subject = experiment_.subjects[run.subject];
    const auto available = static_cast<double>(available_memory());
    const double needed = memory_of(*wanted.workload, subject, wanted.parameters);
    if (!experiment_.force && available > 0 && needed > available) {
        return fmt::format("needs {:.0f} MiB, {:.0f} MiB are available", needed / (1 << 20),
                           available / (1 << 20));
    }
    if (wanted.workload->captures && !run.captures && !served_.contains(run.configuration)) {
        return "the capture before it left no file";
    }
    return {};
}

json Session::begin_row(size_t place) const {
    const Run& run = plan_[place];
    const Configuration& wanted = experiment_.configurations[run.configuration];
    const Subject& subject = experiment_.subjects[run.subject];
    const Steps steps = commands_of(run, place, experiment_, places_, record_.directory());
    const Cpus& pin = experiment_.pin_of(subject);
    json row = {{"row", record_.rows().size()},
                {"run", place},
                {"invocation", run.invocation},
                {"repeat", run.repeat},
                {"workload", wanted.workload->title_of(wanted.parameters)},
                {"params", wanted.parameters},
                {"objects", wanted.workload->objects_of(wanted.parameters)},
                {"shuffled", wanted.parameters.value("shuffled", false)},
                {"subject", subject.name},
                {"kind", name_of(subject.kind)},
                {"start", utc_now()},
                {"seed", run.seed},
                {"load", load_average()},
                {"others", nullptr},
                {"pin", pin.empty() ? json() : json(as_text(pin))},
                {"log", log_file(place, subject)},
                {"command", as_text(steps)},
                {"events", nullptr},
                {"status", "ok"},
                {"reason", ""},
                {"exit", nullptr},
                {"seconds", 0.0},
                {"stderr", ""},
                {"result", nullptr}};
    if (subject.kind == Subject::Kind::kPython) {
        row["configured"] = subject.configured;
    }
    return row;
}

// The result on standard output; null, and the outcome turned to failed, if there is none.
json Session::answer_of(Outcome& outcome, const Run& run, const Call& call) {
    const Configuration& wanted = experiment_.configurations[run.configuration];
    json result = printed_object(outcome);
    if (result.is_null()) {
        return result;
    }
    if (run.captures) {
        try {
            result = captured_result(result, call);
        } catch (const json::exception& error) {
            outcome.status = Status::kFailed;
            outcome.reason = fmt::format("its answer lacks something: {}", error.what());
            return {};
        }
    }
    result["workload"] = wanted.workload->title_of(wanted.parameters);
    return fits_schema(outcome, result, schemas_) ? result : json();
}

Outcome Session::run_alone(size_t place, const Interrupts& interrupts, json& result) {
    const Run& run = plan_[place];
    const Call call = call_of(run, place, experiment_, places_, record_.directory());
    Outcome outcome = run_steps(commands_of(run, place, experiment_, places_, record_.directory()),
                                timeout_of(run), interrupts.descriptor(), surroundings_of(place));
    if (outcome.status == Status::kOk) {
        result = answer_of(outcome, run, call);
    }
    return outcome;
}

// What a server answers; an outcome that is not kOk is thrown.
json Session::ask(Server& server, const std::string& request, double timeout,
                  const Interrupts& interrupts, double& seconds) {
    Outcome outcome = request.empty() ? server.answer(timeout, interrupts.descriptor())
                                      : server.ask(request, timeout, interrupts.descriptor());
    seconds += outcome.seconds;
    json answer = workloads::parse_json(outcome.output);
    if (outcome.status == Status::kOk && (!answer.is_object() || !answer.contains("answer"))) {
        outcome.status = Status::kFailed;
        outcome.reason = "its answer is not one: " + outcome.output.substr(0, 60);
    } else if (outcome.status == Status::kOk && answer["answer"] == "error") {
        outcome.status = Status::kFailed;
        outcome.reason = answer.value("error", "an error without a text");
    }
    if (outcome.status != Status::kOk) {
        outcome.seconds = seconds;
        throw outcome;
    }
    return answer;
}

// The first of an invocation starts the program, lets it run, and captures its heap; the later one
// collects that heap and drops it.
Outcome Session::run_served(size_t place, const Interrupts& interrupts, json& result) {
    const Run& run = plan_[place];
    const Call call = call_of(run, place, experiment_, places_, record_.directory());
    const double timeout = timeout_of(run);
    double seconds = 0;
    try {
        if (run.captures) {
            served_.erase(run.configuration);
            std::filesystem::create_directories(call.captured.parent_path());
            std::filesystem::remove(call.captured);
            auto server = std::make_unique<Server>(server_words(call), surroundings_of(place));
            const json ready = ask(*server, "", timeout, interrupts, seconds);
            const json status = ready.at("program").at("exit_status");
            if (status != 0) {
                Outcome outcome = server->failed();
                outcome.seconds = seconds;
                outcome.reason = "the program ended with status " + status.dump();
                return outcome;
            }
            ask(*server, "capture " + std::filesystem::absolute(call.captured).string(), timeout,
                interrupts, seconds);
            Outcome outcome = run_pipe(describe_captured(call), timeout, interrupts.descriptor(),
                                       surroundings_of(place));
            outcome.seconds += seconds;
            if (outcome.status == Status::kOk) {
                result = answer_of(outcome, run, call);
            }
            if (outcome.status == Status::kOk) {
                served_[run.configuration] = {run.invocation, std::move(server), result};
            }
            return outcome;
        }
        Served& served = served_.at(run.configuration);
        const std::string count = call.parameters.at("collections").dump();
        const json collect = ask(*served.server, "collect " + count, timeout, interrupts, seconds);
        const json drop = ask(*served.server, "drop", timeout, interrupts, seconds);
        Outcome outcome;
        outcome.seconds = seconds;
        outcome.exit = 0;
        result = served.result;
        take_collections(result, collect, drop);
        fits_schema(outcome, result, schemas_);
        return outcome;
    } catch (const Outcome& failed) {
        return failed;
    }
}

json Session::execute(size_t place, const Interrupts& interrupts) {
    json row = begin_row(place);
    const std::filesystem::path log = record_.directory() / row["log"].get<std::string>();
    add_to_log(log, log_prologue(meta_, row));
    const Others others;
    make_run(place, interrupts, row);
    row["others"] = others.so_far();
    add_to_log(log, log_end(row));
    return row;
}

// What the row lacks.
void Session::make_run(size_t place, const Interrupts& interrupts, json& row) {
    const Run& run = plan_[place];
    const std::string why_not = obstacle(run);
    if (!why_not.empty()) {
        row["status"] = "skipped";
        row["reason"] = why_not;
        return;
    }
    const Call call = call_of(run, place, experiment_, places_, record_.directory());
    if (!call.events.empty()) {
        std::filesystem::create_directories(call.events.parent_path());
        std::filesystem::remove(call.events);  // of the same run, interrupted earlier
    }
    const bool served = call.subject.kind == Subject::Kind::kPython &&
                        experiment_.configurations[run.configuration].workload->captures;
    json result;
    const Outcome outcome =
        served ? run_served(place, interrupts, result) : run_alone(place, interrupts, result);
    if (!call.events.empty() && std::filesystem::exists(call.events)) {
        row["events"] = std::filesystem::relative(call.events, record_.directory());
    }
    row["result"] = outcome.status == Status::kOk ? result : json();
    row["status"] = name_of(outcome.status);
    row["reason"] = outcome.reason;
    row["exit"] = outcome.exit ? json(*outcome.exit) : json();
    row["seconds"] = outcome.seconds;
    row["stderr"] = outcome.errors;
}

// A heap is kept only as long as somebody is to be compared with it.
void Session::end_servers(std::vector<size_t>::const_iterator next) {
    std::erase_if(served_, [&](const auto& entry) {
        return std::none_of(next, left_.cend(), [&](size_t place) {
            return plan_[place].configuration == entry.first &&
                   plan_[place].invocation == entry.second.invocation;
        });
    });
}

bool Session::measure(const Interrupts& interrupts) {
    std::vector<Progress::Step> steps;
    for (const size_t place : left_) {
        const Run& run = plan_[place];
        // A capture spends its time elsewhere than a collection: estimates apart.
        const std::string kind = name_of(experiment_.subjects[run.subject].kind) +
                                 experiment_.configurations[run.configuration].workload->name;
        steps.push_back({title_of(run, experiment_), kind, run.estimate});
    }
    Progress progress(steps, std::max(places_of(part_, plan_, experiment_).size(), left_.size()),
                      stdout, isatty(1) != 0, monotonic_seconds);
    write_meta(false);
    const std::string before = disturbance(meta_["sessions"].back()["others_before"]);
    if (!before.empty()) {
        progress.say("warning: this machine is not idle: " + before);
    }
    size_t disturbed = 0;
    bool finished = true;
    for (auto next = left_.cbegin(); next != left_.cend();) {
        const size_t place = *next++;
        if (interrupts.came()) {
            finished = false;
            break;
        }
        progress.start();
        const json row = execute(place, interrupts);
        end_servers(next);
        record_.append(row);
        statuses_[place] = row.at("status");
        const std::string others = disturbance(row.at("others"));
        disturbed += others.empty() ? 0 : 1;
        progress.finish(note(row) + (others.empty() ? "" : "; " + others));
        if (row.at("status") == "interrupted") {
            finished = false;
            break;
        }
        if (row.at("status") != "ok") {
            progress.say(fmt::format("  {}: {}: {}", row.at("status").get<std::string>(),
                                     title_of(plan_[place], experiment_),
                                     row.at("reason").get<std::string>()));
        }
    }
    if (disturbed > 0) {
        progress.say(fmt::format("warning: during {} of these runs other processes took a part of "
                                 "the machine; their rows say how much (others)",
                                 disturbed));
    }
    progress.close();
    write_meta(true);
    return finished;
}

}  // namespace ouro::runner
