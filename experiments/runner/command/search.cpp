// `ouro search`: the smallest or largest number at which a workload survives.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/runner/command/command.hpp"
#include "experiments/runner/command/commands.hpp"
#include "experiments/runner/command/experiment_options.hpp"
#include "experiments/runner/run/search.hpp"
#include "experiments/runner/words.hpp"
#include "ouroboros.h"

namespace ouro::runner {
namespace {

struct SearchArguments {
    std::string what, smallest, largest, criterion = "survives", directory;
    std::string from, to;
    double within = 5;
    bool resume = false;
    bool dry_run = false;
    std::vector<std::string> overrides, interpreters;
    std::map<std::string, std::string> settings, parameters;
};

// "stw,off": ["stw", "off"]; what is no number and no switch is a text.
std::string toml_of(const std::string& list) {
    std::vector<std::string> values;
    for (const std::string& each : words(list, ',')) {
        int64_t number = 0;
        const char* const end = each.data() + each.size();
        const auto [rest, error] = std::from_chars(each.data(), end, number);
        const bool is_number = error == std::errc() && rest == end;
        const bool is_switch = each == "true" || each == "false";
        values.push_back(is_number   ? std::to_string(number)
                         : is_switch ? each
                                     : nlohmann::json(each).dump());
    }
    return values.size() == 1 ? values[0] : fmt::format("[{}]", joined(values, ", "));
}

// A file, or a workload's name with flags for its parameters and the settings.
Experiment experiment_of(const SearchArguments& wanted) {
    const Workload* workload = find_workload(wanted.what);
    if (workload == nullptr) {
        if (!std::filesystem::exists(wanted.what)) {
            std::vector<std::string> names = {"CONFIG.toml"};
            for (const Workload& each : catalogue()) {
                names.push_back(each.name);
            }
            throw BadExperiment(fmt::format("ouro: search: found '{}'; {}", wanted.what,
                                            allowed_words(wanted.what, joined(names))));
        }
        for (const auto& flags : {wanted.settings, wanted.parameters}) {
            for (const auto& [key, value] : flags) {
                if (!value.empty()) {
                    throw BadExperiment(fmt::format("ouro: search --{}: '{}' is taken for a file, "
                                                    "which says that itself; allowed: a "
                                                    "workload's name with it, or --set",
                                                    key, wanted.what));
                }
            }
        }
        return read_experiment({wanted.what}, wanted.overrides, wanted.interpreters);
    }
    std::string text = fmt::format("invocations = 3\n[[workload]]\nname = '{}'\n", wanted.what);
    for (const auto& [key, value] : wanted.parameters) {
        text += value.empty() ? "" : fmt::format("{} = {}\n", key, toml_of(value));
    }
    text += "[[subject]]\n";
    bool any = false;
    for (const auto& [key, value] : wanted.settings) {
        text += value.empty() ? "" : fmt::format("{} = {}\n", key, toml_of(value));
        any = any || !value.empty();
    }
    text += any ? "" : fmt::format("engine = '{}'\n", Ouro_Setting("engine"));
    const std::string name = "--" + wanted.what;
    try {
        return read_experiment({name, text}, wanted.overrides, wanted.interpreters);
    } catch (const BadExperiment& error) {
        // What is wrong with the text is wrong with the flags that it was made of.
        std::string message = error.what();
        const std::string place = name + ": ";
        for (size_t at = 0; (at = message.find(place, at)) != std::string::npos;) {
            const std::string flag = fmt::format("ouro: search {} --", wanted.what);
            message.replace(at, place.size(), flag);
            at += flag.size();
        }
        throw BadExperiment(message);
    }
}

int64_t bound_of(const std::string& text, const char* option, int64_t otherwise) {
    if (text.empty()) {
        return otherwise;
    }
    size_t end = 0;
    int64_t number = -1;
    try {
        number = std::stoll(text, &end);
    } catch (const std::exception&) {
        end = 0;
    }
    if (end != text.size() || number < 0) {
        throw BadExperiment(
            fmt::format("ouro: search --{}: found '{}'; allowed: a whole number", option, text));
    }
    return number;
}

Quantity quantity_of(const SearchArguments& wanted, const Experiment& experiment) {
    if (wanted.smallest.empty() == wanted.largest.empty()) {
        throw BadExperiment("ouro: search: allowed: one of --smallest and --largest");
    }
    const bool smallest = !wanted.smallest.empty();
    Quantity quantity = quantity_of(smallest ? wanted.smallest : wanted.largest, experiment);
    quantity.smallest = smallest;
    quantity.from = bound_of(wanted.from, "from", quantity.from);
    quantity.to = bound_of(wanted.to, "to", quantity.to);
    quantity.within = wanted.within / 100;
    return quantity;
}

int show(const Experiment& experiment, const Quantity& quantity, const Criterion& criterion) {
    const auto bounds = [&](int64_t value) { return value_text(quantity, value); };
    const std::vector<Target> targets = targets_of(experiment, quantity);
    fmt::print("{}: {} {} from {} to {}, {}: {} searches\n", experiment.title,
               quantity.smallest ? "smallest" : "largest", quantity.name, bounds(quantity.from),
               bounds(quantity.to), text_of(criterion), targets.size());
    const int64_t easy = quantity.smallest ? quantity.to : quantity.from;
    for (const Target& each : targets) {
        fmt::print("{} times {}\n", experiment.configurations[each.configuration].invocations,
                   as_text(probe_commands(experiment, quantity, each, easy, experiment.seed)));
    }
    return 0;
}

// Of a search that is gone on with, the bounds that are not given: memory, say, may be as much as was available then.
void take_bounds(const SearchArguments& wanted, const nlohmann::json& found, Quantity& quantity) {
    if (found.value("quantity", "") == quantity.name) {
        quantity.from = wanted.from.empty() ? found.value("from", quantity.from) : quantity.from;
        quantity.to = wanted.to.empty() ? found.value("to", quantity.to) : quantity.to;
    }
}

int make_probes(const SearchArguments& wanted, const Experiment& experiment, Quantity quantity,
                const Criterion& criterion) {
    const std::filesystem::path directory = results_directory(wanted.directory, experiment);
    if (wanted.resume && !std::filesystem::exists(directory / kProbes)) {
        throw BadDirectory(
            fmt::format("{} holds no search to go on with (no {})", directory.string(), kProbes));
    }
    Record record =
        wanted.resume ? Record::resume(directory, kProbes) : Record::begin(directory, kProbes);
    if (wanted.resume) {
        take_bounds(wanted, record.found_meta().value("search", nlohmann::json::object()),
                    quantity);
    }
    Search search(experiment, quantity, criterion, record, command_line());
    const Interrupts interrupts;
    const bool finished = search.find(interrupts);
    bool found = finished;
    for (const nlohmann::json& answer : search.answers()) {
        fmt::print("{}\n", answer_text(answer, quantity));
        found = found && !answer.at("passes").is_null();
    }
    fmt::print("raw data: {}\n", (directory / kProbes).string());
    if (!finished) {
        fmt::print("interrupted; --resume goes on\n");
        return kExitInterrupted;
    }
    return found ? 0 : kExitFailed;
}

int search(const SearchArguments& wanted) {
    if (!configure_from_environment()) {
        return kExitBadArguments;
    }
    try {
        if (wanted.resume && wanted.directory.empty()) {
            throw BadExperiment("ouro: search --resume: needs -o DIR, the results to go on with");
        }
        const auto criterion = parse_criterion(wanted.criterion);
        if (!criterion) {
            throw BadExperiment(fmt::format("ouro: search --criterion: found '{}'; {}",
                                            wanted.criterion,
                                            allowed_words(wanted.criterion, kCriteria)));
        }
        if (!(wanted.within >= 0 && wanted.within <= 100)) {
            throw BadExperiment(fmt::format(
                "ouro: search --within: found {}; allowed: 0 to 100 per cent", wanted.within));
        }
        const Experiment experiment = experiment_of(wanted);
        for (const std::string& each : experiment.warnings) {
            fmt::print(stderr, "ouro: warning: {}\n", each);
        }
        const Quantity quantity = quantity_of(wanted, experiment);
        if (const std::string problem = search_problem(experiment, quantity, *criterion);
            !problem.empty()) {
            throw BadExperiment("ouro: search: " + problem);
        }
        return wanted.dry_run ? show(experiment, quantity, *criterion)
                              : make_probes(wanted, experiment, quantity, *criterion);
    } catch (const BadExperiment& error) {
        fmt::print(stderr, "{}\n", error.what());
    } catch (const BadDirectory& error) {
        fmt::print(stderr, "ouro: search -o: {}\n", error.what());
    }
    return kExitBadArguments;
}

constexpr const char* kSearchFooter = R"(
By bisection between two bounds, each value in processes of its own, `invocations` times (3 with a
workload's name): it passes if all of them do. Each workload of a CONFIG with each subject has an answer
of its own. QUANTITY is

  data         MiB of memory that is private and can be written, the system's limit (RLIMIT_DATA) of the
               process: heap, thread stacks and tables of the runtime together
  a setting whose values are a range: young-threshold, growth-limit, pause-budget-us, ...
  a parameter that is a number: live, objects, ...; or load, in operations a second

A run passes, by --criterion, if

  survives     it has a result: no crash, no time-out, memory enough
  keeps-up     and so many per cent (99, or keeps-up=PERCENT) of the operations that were due are done
  cpu=FACTOR   and it takes at most so many times the CPU time (of an operation, where they are counted)
               that it takes at the bound that is tried first, in the median

  ouro search lru --engine stw --live 100000 --load 100000/s --smallest data
  ouro search lru --engine stw,concurrent --load 300000/s --smallest young-threshold --criterion keeps-up
  ouro search lru --engine stw --seconds 2 --largest load --from 10000 --to 10000000 --criterion keeps-up
  ouro search CONFIG.toml --smallest data --set invocations=5 -o DIR

That a value passes is taken to say that whatever is on its easier side does; the answer is a bracket, the
value that passed and the one beside it that did not. DIR gets probes.jsonl, a row a run, and meta.json.

Exit status: 0 every search has an answer; 1 some have none between the bounds; 2 bad arguments, nothing was
run; 130 interrupted.)";

// A flag for each parameter that a search can be given, of all workloads.
void add_parameters(CLI::App& command, std::map<std::string, std::string>& values) {
    for (const Workload& workload : catalogue()) {
        for (const Parameter& each : workload.parameters) {
            if (!workload.captures && !values.contains(each.name)) {
                command.add_option("--" + each.name, values[each.name], "of a workload")
                    ->type_name("VALUE,...")
                    ->group("Parameters of workloads (ouro list)");
            }
        }
    }
}

}  // namespace

Command add_search(CLI::App& app) {
    const auto wanted = std::make_shared<SearchArguments>();
    CLI::App* command = app.add_subcommand(
        "search",
        "the smallest or largest number (heap, trigger, load, ...) that a workload survives");
    command->add_option("WORKLOAD|CONFIG", wanted->what, "what to run: a name, or a file (TOML)")
        ->required();
    command->add_option("--smallest", wanted->smallest, "look for the smallest value that passes")
        ->type_name("QUANTITY");
    command->add_option("--largest", wanted->largest, "look for the largest value that passes")
        ->type_name("QUANTITY");
    command->add_option("--from", wanted->from, "the least value that is tried")->type_name("N");
    command->add_option("--to", wanted->to, "the greatest value that is tried")->type_name("N");
    command
        ->add_option("--within", wanted->within, "how near is near enough, per cent of the value")
        ->capture_default_str()
        ->type_name("PERCENT");
    command->add_option("--criterion", wanted->criterion, kCriteria)
        ->capture_default_str()
        ->type_name("CRITERION");
    command
        ->add_option("-o,--output", wanted->directory, "where the results go (results/TIME-TITLE)")
        ->type_name("DIR");
    command->add_flag("--resume", wanted->resume, "go on with the results in DIR");
    command->add_flag("--dry-run", wanted->dry_run,
                      "show what would be tried, run and write nothing");
    add_experiment_options(*command, wanted->overrides, wanted->interpreters);
    take_environment(*command);
    for (const std::string& key : words(Ouro_SettingKeys())) {
        command->add_option("--" + key, wanted->settings[key], Ouro_SettingValues(key.c_str()))
            ->type_name("VALUE,...")
            ->group("Settings of the subjects");
    }
    add_parameters(*command, wanted->parameters);
    command->footer(kSearchFooter);
    return {command, [wanted, command] {
                wanted->overrides = all_overrides(*command, wanted->overrides);
                return search(*wanted);
            }};
}

}  // namespace ouro::runner
