#include "experiments/runner/run/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "experiments/runner/words.hpp"
#include "experiments/workloads/edges.hpp"

namespace ouro::runner {
namespace {

// The runs of one configuration in one invocation, a capture first.
std::vector<Run> runs_of(const Experiment& experiment, size_t configuration, unsigned invocation) {
    const Configuration& wanted = experiment.configurations[configuration];
    const uint64_t seed = experiment.seed + invocation;
    const bool twice = wanted.noise_floor != 0 && invocation % wanted.noise_floor == 0;
    std::vector<Run> captures;
    std::vector<Run> runs;
    for (size_t i = 0; i < experiment.subjects.size(); ++i) {
        const Subject::Kind kind = experiment.subjects[i].kind;
        if (!takes(*wanted.workload, experiment.subjects[i], wanted.parameters)) {
            continue;
        }
        const double seconds = seconds_of(*wanted.workload, kind, wanted.parameters);
        if (kind == Subject::Kind::kOurs) {
            for (unsigned repeat = 0; repeat < (twice ? 2 : 1); ++repeat) {
                runs.push_back({invocation, configuration, i, repeat, seed, seconds, false});
            }
        } else if (!wanted.workload->captures) {
            runs.push_back({invocation, configuration, i, 0, seed, seconds, false});
        } else if (captures.empty()) {
            captures.push_back({invocation, configuration, i, 1, seed, seconds, true});
            // It collects that heap once more at a place like any other: this is what is compared.
            runs.push_back({invocation, configuration, i, 0, seed, 0.1 * seconds, false});
        }
    }
    if (wanted.workload->captures && captures.empty()) {
        return {};  // nobody runs the program
    }
    captures.insert(captures.end(), runs.begin(), runs.end());
    return captures;
}

template <typename T>
void shuffle(std::vector<T>& list, workloads::Random& random) {
    for (size_t k = list.size(); k > 1; --k) {
        std::swap(list[k - 1], list[random.below(static_cast<uint32_t>(k))]);
    }
}

// A capture takes the first of the places of its configuration.
void put_captures_first(std::vector<Run>& block) {
    for (auto capture = block.begin(); capture != block.end(); ++capture) {
        if (capture->captures) {
            const auto first =
                std::ranges::find(block, capture->configuration, &Run::configuration);
            std::iter_swap(first, capture);
        }
    }
}

}  // namespace

std::vector<std::string> uncaptured(const Experiment& experiment) {
    std::vector<std::string> titles;
    for (size_t i = 0; i < experiment.configurations.size(); ++i) {
        const Configuration& each = experiment.configurations[i];
        if (each.workload->captures && runs_of(experiment, i, 0).empty()) {
            titles.push_back(each.workload->title_of(each.parameters));
        }
    }
    return titles;
}

unsigned invocations_of(const Experiment& experiment) {
    unsigned most = 0;
    for (const Configuration& each : experiment.configurations) {
        most = std::max(most, each.invocations);
    }
    return most;
}

std::vector<unsigned> fill_in_levels(size_t values) {
    std::vector<unsigned> levels(values, 0);
    // Between two values that are there, the middle one is of the next level.
    const auto halve = [&](auto& self, size_t first, size_t last, unsigned level) -> void {
        if (last - first < 2) {
            return;
        }
        const size_t middle = first + (last - first) / 2;
        levels[middle] = level;
        self(self, first, middle, level + 1);
        self(self, middle, last, level + 1);
    };
    if (values > 0) {
        halve(halve, 0, values - 1, 0);
    }
    return levels;
}

std::vector<Run> make_plan(const Experiment& experiment) {
    const unsigned invocations = invocations_of(experiment);
    std::set<unsigned> levels;
    for (const Configuration& each : experiment.configurations) {
        levels.insert(each.level);
    }
    workloads::Random random(experiment.seed);
    std::vector<Run> plan;
    for (const unsigned level : levels) {
        for (unsigned invocation = 0; invocation < invocations; ++invocation) {
            std::vector<Run> block;
            for (size_t i = 0; i < experiment.configurations.size(); ++i) {
                if (experiment.configurations[i].level == level &&
                    invocation < experiment.configurations[i].invocations) {
                    const std::vector<Run> runs = runs_of(experiment, i, invocation);
                    block.insert(block.end(), runs.begin(), runs.end());
                }
            }
            shuffle(block, random);
            put_captures_first(block);
            plan.insert(plan.end(), block.begin(), block.end());
        }
    }
    return plan;
}

std::vector<size_t> left_to_do(const std::vector<Run>& plan, const Experiment& experiment,
                               const std::map<size_t, std::string>& statuses, bool failed_too) {
    std::map<size_t, unsigned> captured;  // configuration -> invocation of its last capture
    const auto finished = [&](size_t place) {
        const auto known = statuses.find(place);
        return known != statuses.end() && known->second != "interrupted" &&
               (known->second == "ok" || !failed_too);
    };
    std::vector<size_t> left;
    for (size_t place = 0; place < plan.size(); ++place) {
        const Run& run = plan[place];
        if (finished(place)) {
            continue;
        }
        if (run.captures) {
            captured[run.configuration] = run.invocation;
        } else if (experiment.configurations[run.configuration].workload->captures) {
            const auto made = captured.find(run.configuration);
            if (made == captured.end() || made->second != run.invocation) {
                const auto capture = std::ranges::find_if(plan, [&](const Run& other) {
                    return other.captures && other.configuration == run.configuration &&
                           other.invocation == run.invocation;
                });
                const auto again = static_cast<size_t>(capture - plan.begin());
                const auto last = statuses.find(again);
                // One that failed, and shall not be tried again, leaves nothing to read.
                if (last == statuses.end() || last->second == "ok" || failed_too) {
                    left.push_back(again);
                    captured[run.configuration] = run.invocation;
                }
            }
        }
        left.push_back(place);
    }
    return left;
}

std::string too_large(const std::vector<Run>& runs, const Experiment& experiment,
                      const MemoryLimit& limit) {
    std::map<size_t, std::string> lines;  // by configuration
    for (const Run& run : runs) {
        const Configuration& wanted = experiment.configurations[run.configuration];
        const std::string problem = does_not_fit(
            memory_of(*wanted.workload, experiment.subjects[run.subject], wanted.parameters),
            limit);
        if (run.repeat == 0 && !problem.empty()) {
            lines.try_emplace(run.configuration,
                              fmt::format("{}: {}: {}; allowed: what fits, or --force",
                                          wanted.place, title_of(run, experiment), problem));
        }
    }
    std::string text;
    for (const auto& [configuration, line] : lines) {
        text += (text.empty() ? "" : "\n") + line;
    }
    return text;
}

std::string title_of(const Run& run, const Experiment& experiment) {
    const Configuration& wanted = experiment.configurations[run.configuration];
    const std::string name = wanted.workload->title_of(wanted.parameters);
    std::string values;
    for (const Parameter& each : wanted.workload->parameters) {
        const nlohmann::json& value = wanted.parameters.at(each.name);
        if (value.is_boolean()) {
            values += value.get<bool>() ? " " + each.name : "";
        } else if (value.is_number() && each.name != "collections" && value != each.initial) {
            values += fmt::format(" {} {}", each.name, value.dump());
        } else if (value.is_string() && each.type != Parameter::Type::kText &&
                   value != each.initial &&
                   name.find(value.get<std::string>()) == std::string::npos) {
            values += fmt::format(" {} {}", each.name, value.get<std::string>());
        }
    }
    return fmt::format("{}  {}{}{}", experiment.subjects[run.subject].name, name, values,
                       run.repeat != 0 ? "  again" : "");
}

}  // namespace ouro::runner
