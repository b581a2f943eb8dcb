#include "experiments/runner/run/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "experiments/runner/run/answer.hpp"
#include "experiments/runner/run/bisection.hpp"
#include "experiments/runner/run/identity.hpp"
#include "experiments/runner/run/machine.hpp"
#include "experiments/runner/run/others.hpp"
#include "experiments/runner/run/plan.hpp"
#include "experiments/runner/words.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;
using Kind = Quantity::Kind;
using Status = Outcome::Status;

double median_of(std::vector<double> numbers) {
    std::ranges::sort(numbers);
    return numbers.empty() ? 0 : numbers[(numbers.size() - 1) / 2];
}

// CPU time of an operation or, where they are not counted, of the whole.
double cpu_of(const json& result) {
    const json& run = result.contains("run_cpu_ns") ? result["run_cpu_ns"] : result.at("cpu_ns");
    const double cpu = run.is_number() ? run.get<double>() : result.at("cpu_ns").get<double>();
    const json operations = result.value("mutator_ops", json());
    return operations.is_number() && operations > 0 ? cpu / operations.get<double>() : cpu;
}

// What happened to the program, by its own name, and the last that it said.
std::string reason_of(const Outcome& outcome, const Steps& steps) {
    const Words& last = steps.back().back();
    std::string reason = outcome.reason;
    if (reason.starts_with(last[0] + " ") && last[0] == kLimiter) {
        reason.replace(0, last[0].size(), std::filesystem::path(last[2]).filename().string());
    }
    const std::vector<std::string> said = words(outcome.errors, '\n');
    return outcome.status == Status::kFailed && !said.empty() ? reason + ": " + said.back()
                                                              : reason;
}

std::string title_of_target(const Experiment& experiment, const Target& target) {
    return title_of({0, target.configuration, target.subject, 0, 0, 0, false}, experiment);
}

}  // namespace

std::string answer_text(const json& answer, const Quantity& quantity) {
    const auto shown = [&](const json& value) {
        return value_text(quantity, value.get<int64_t>());
    };
    const std::string what = fmt::format("{}  {} {}", answer.at("title").get<std::string>(),
                                         quantity.smallest ? "smallest" : "largest", quantity.name);
    const json& passes = answer.at("passes");
    const json& fails = answer.at("fails");
    const auto reason = answer.at("reason").get<std::string>();
    if (passes.is_null() && fails.is_null()) {
        return fmt::format("{}: not known", what);
    }
    if (passes.is_null()) {
        return fmt::format("{}: none up to the bound: {} fails: {}", what, shown(fails), reason);
    }
    const std::string found = fmt::format("{}: {} ({} of {})", what, shown(passes),
                                          answer.at("times").dump(), answer.at("times").dump());
    return fails.is_null() ? found + ", which is the bound"
                           : fmt::format("{}; {} fails: {}", found, shown(fails), reason);
}

Search::Search(const Experiment& experiment, const Quantity& quantity, const Criterion& criterion,
               Record& record, const Words& command_line)
    : experiment_(experiment), quantity_(quantity), criterion_(criterion), record_(record),
      targets_(targets_of(experiment, quantity)), schemas_(places_.experiments / "schema") {
    meta_ = identity_of(experiment_);
    meta_["search"] = {{"quantity", quantity_.name},
                       {"unit", quantity_.unit},
                       {"smallest", quantity_.smallest},
                       {"from", quantity_.from},
                       {"to", quantity_.to},
                       {"within", quantity_.within},
                       {"criterion", text_of(criterion_)}};
    meta_["command"] = command_line;
    meta_["machine"] = describe_machine();
    meta_["build"] = describe_build(places_);
    meta_["build"]["fingerprint"] = fingerprint(places_, experiment_.subjects);
    meta_["started"] = utc_now();
    meta_["ended"] = nullptr;
    meta_["answers"] = json::array();
    if (!record_.found_meta().is_null()) {
        check_identity();
        meta_["started"] = record_.found_meta().at("started");
        for (const json& row : record_.rows()) {
            if (row.at("status") != "interrupted") {
                made_[{row.at("target"), row.at("value"), row.at("number")}] = row;
            }
        }
    }
}

void Search::check_identity() const {
    const json& found = record_.found_meta();
    const std::string key = first_difference(found, meta_);
    const auto refuse = [&](const std::string& what) {
        throw BadDirectory(
            fmt::format("{} cannot be resumed: {}", record_.directory().string(), what));
    };
    if (!key.empty()) {
        refuse(key + " differs");
    }
    if (found.value("search", json()) != meta_.at("search")) {
        refuse("it looked for something else, or between other bounds");
    }
    if (found.at("build").value("fingerprint", json()) != meta_.at("build").at("fingerprint")) {
        refuse("the ouro command, its library, a peer, a script or the bridge was changed or "
               "rebuilt since");
    }
    if (const std::string what = machine_difference(found, meta_); !what.empty()) {
        refuse(fmt::format("it was begun on another machine ({} differs)", what));
    }
}

// What the row says about the criterion.
void Search::judge(json& row) const {
    if (row.at("status") != "ok") {
        return;
    }
    const json& result = row.at("result");
    row["passes"] = true;
    if (criterion_.kind == Criterion::Kind::kKeepsUp) {
        const double due = std::max(result.value("operations_due", 0.0), 1.0);
        const double done = 100 * result.value("mutator_ops", 0.0) / due;
        row["measured"] = done;
        row["passes"] = done >= criterion_.number;
        if (done < criterion_.number) {
            row["reason"] = fmt::format("{:.4g} % of the operations due were done", done);
        }
    } else if (criterion_.kind == Criterion::Kind::kCpu) {
        row["measured"] = cpu_of(result);
    }
}

json Search::probe(size_t place, int64_t value, unsigned number, const Interrupts& interrupts) {
    const Target& target = targets_[place];
    const Configuration& wanted = experiment_.configurations[target.configuration];
    const Subject& subject = experiment_.subjects[target.subject];
    const json parameters = with_value(wanted.parameters, quantity_, value);
    const uint64_t seed = experiment_.seed + number;
    const Steps steps = probe_commands(experiment_, quantity_, target, value, seed);
    json row = {{"row", record_.rows().size()},
                {"target", place},
                {"workload", wanted.workload->title_of(parameters)},
                {"params", parameters},
                {"subject", subject.name},
                {"kind", name_of(subject.kind)},
                {"quantity", quantity_.name},
                {"value", value},
                {"number", number},
                {"start", utc_now()},
                {"seed", seed},
                {"load", load_average()},
                {"others", nullptr},
                {"command", as_text(steps)},
                {"status", "ok"},
                {"reason", ""},
                {"exit", nullptr},
                {"seconds", 0.0},
                {"stderr", ""},
                {"measured", nullptr},
                {"passes", false},
                {"result", nullptr}};
    const double needed = memory_of(*wanted.workload, subject, parameters);
    const auto available = static_cast<double>(available_memory());
    if (quantity_.kind != Kind::kData && available > 0 && needed > available) {
        row["status"] = "skipped";
        row["reason"] = fmt::format("needs {:.0f} MiB, {:.0f} MiB are available",
                                    needed / (1 << 20), available / (1 << 20));
        return row;
    }
    const double guess = seconds_of(*wanted.workload, subject.kind, parameters);
    const double timeout = wanted.timeout > 0 ? wanted.timeout : std::max(60.0, 12 * guess);
    const Others others;
    Outcome outcome =
        run_steps(steps, timeout, interrupts.descriptor(), {experiment_.pin_of(subject), {}});
    if (outcome.status == Status::kOk) {
        json result = printed_object(outcome);
        if (!result.is_null()) {
            result["workload"] = wanted.workload->title_of(parameters);
            row["result"] = fits_schema(outcome, result, schemas_) ? std::move(result) : json();
        }
    }
    row["others"] = others.so_far();
    row["status"] = name_of(outcome.status);
    row["reason"] = reason_of(outcome, steps);
    row["exit"] = outcome.exit ? json(*outcome.exit) : json();
    row["seconds"] = outcome.seconds;
    row["stderr"] = outcome.errors;
    judge(row);
    return row;
}

Search::Verdict Search::verdict_of(size_t place, int64_t value, bool reference,
                                   const Interrupts& interrupts) {
    const unsigned times = experiment_.configurations[targets_[place].configuration].invocations;
    Verdict verdict;
    std::vector<double> measured;
    for (unsigned number = 0; number < times && verdict.passed; ++number) {
        const auto known = made_.find({place, value, number});
        json row;
        if (known != made_.end()) {
            row = known->second;
        } else {
            if (interrupts.came()) {
                verdict.interrupted = true;
                return verdict;
            }
            row = probe(place, value, number, interrupts);
            record_.append(row);
            const std::string disturbed = disturbance(row.at("others"));
            fmt::print("{}  {} {}  {}/{}: {}{}; {:.1f} s{}\n",
                       title_of_target(experiment_, targets_[place]), quantity_.name,
                       value_text(quantity_, value), number + 1, times,
                       row.at("passes") == true ? "passes" : "fails",
                       row.at("reason").get_ref<const std::string&>().empty()
                           ? ""
                           : ": " + row.at("reason").get<std::string>(),
                       row.at("seconds").get<double>(), disturbed.empty() ? "" : "; " + disturbed);
            std::fflush(stdout);
        }
        verdict.interrupted = row.at("status") == "interrupted";
        verdict.passed = row.at("passes");
        verdict.reason = row.at("reason");
        if (row.at("measured").is_number()) {
            measured.push_back(row.at("measured"));
        }
    }
    verdict.measured = median_of(measured);
    if (criterion_.kind == Criterion::Kind::kCpu && verdict.passed && reference) {
        reference_ = verdict.measured;
    } else if (criterion_.kind == Criterion::Kind::kCpu && verdict.passed &&
               verdict.measured > criterion_.number * reference_) {
        verdict.passed = false;
        verdict.reason = fmt::format("{:.4g} times the CPU time at the bound, in the median",
                                     verdict.measured / reference_);
    }
    return verdict;
}

bool Search::find(const Interrupts& interrupts) {
    record_.write_meta(meta_);
    for (size_t place = 0; place < targets_.size(); ++place) {
        const Target& target = targets_[place];
        const Configuration& wanted = experiment_.configurations[target.configuration];
        const int64_t easy = quantity_.smallest ? quantity_.to : quantity_.from;
        Bisection bisection(easy, quantity_.smallest ? quantity_.from : quantity_.to,
                            quantity_.within);
        json parameters = wanted.parameters;
        if (quantity_.kind == Quantity::Kind::kParameter) {
            parameters.erase(quantity_.name);
        }
        json answer = {{"title", title_of_target(experiment_, target)},
                       {"workload", wanted.workload->title_of(wanted.parameters)},
                       {"params", parameters},
                       {"subject", experiment_.subjects[target.subject].name},
                       {"times", wanted.invocations},
                       {"reason", ""},
                       {"measured", nullptr}};
        while (const auto value = bisection.next()) {
            const Verdict verdict = verdict_of(place, *value, *value == easy, interrupts);
            if (verdict.interrupted) {
                return false;
            }
            bisection.tell(verdict.passed);
            if (!verdict.passed) {
                answer["reason"] = verdict.reason;
            } else if (criterion_.kind != Criterion::Kind::kSurvives) {
                answer["measured"] = verdict.measured;
            }
        }
        answer["passes"] = bisection.passes() ? json(*bisection.passes()) : json();
        answer["fails"] = bisection.fails() ? json(*bisection.fails()) : json();
        meta_["answers"].push_back(std::move(answer));
        record_.write_meta(meta_);
    }
    meta_["ended"] = utc_now();
    record_.write_meta(meta_);
    return true;
}

}  // namespace ouro::runner
