#include "experiments/runner/run/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "experiments/runner/command/command.hpp"
#include "experiments/runner/run/document.hpp"
#include "experiments/runner/run/experiment_fields.hpp"
#include "experiments/runner/run/fields.hpp"
#include "experiments/runner/run/interpreters.hpp"
#include "experiments/runner/run/peers.hpp"
#include "experiments/runner/run/plan.hpp"
#include "experiments/runner/run/process.hpp"
#include "experiments/runner/words.hpp"
#include "ouroboros.h"

namespace ouro::runner {
namespace {

using nlohmann::json;

constexpr int64_t kMostSeed = (int64_t{1} << 31) - 1;
constexpr int64_t kMostSeconds = 7 * 24 * 3600;
constexpr size_t kMostConfigurations = 10'000;

class Reader {
public:
    Reader(Experiment& experiment, Mistakes& mistakes, bool ready)
        : experiment_(experiment), mistakes_(mistakes), ready_(ready) {}

    void read(const Toml& table, const std::string& path,
              const std::vector<std::string>& interpreters) {
        Fields fields(table, mistakes_);
        fields.take("include");
        experiment_.title = fields.text("title").value_or(std::filesystem::path(path).stem());
        experiment_.seed = static_cast<uint64_t>(fields.number("seed", 0, kMostSeed).value_or(1));
        experiment_.noise_floor = read_noise_floor(fields, mistakes_).value_or(1);
        experiment_.events = fields.toggle("events").value_or(false);
        if (const Toml* order = fields.take("order")) {
            experiment_.fill_in =
                read_word(*order, "order", {"random", "fill-in"}, mistakes_) == "fill-in";
        }
        experiment_.pin = read_pin(fields, mistakes_).value_or(Cpus());
        experiment_.needs.micro = fields.text("micro").value_or("");
        invocations_ = fields.number("invocations", 1, kMostInvocations).value_or(1);
        timeout_ = fields.number("timeout", 1, kMostSeconds).value_or(0);
        for (const Toml* each : tables(fields, "workload")) {
            read_workload(*each);
        }
        for (const Toml* each : tables(fields, "subject")) {
            read_subject(*each);
        }
        for (const std::string& each : interpreters) {
            if (const auto known = probe(each)) {
                add_interpreter(*known, std::string(kAsItIs));
            } else {
                mistakes_.add("--python", 1, 1, not_an_interpreter(each));
            }
        }
        fields.end();
        if (mistakes_.none()) {
            check_whole(table, path);
        }
    }

private:
    // [[key]] tables; a mistake if there is something else of that name.
    std::vector<const Toml*> tables(Fields& fields, const std::string& key) {
        const Toml* list = fields.take(key);
        std::vector<const Toml*> found;
        if (list == nullptr) {
            return found;
        }
        if (list->is_array()) {
            for (const Toml& each : list->as_array()) {
                if (each.is_table()) {
                    found.push_back(&each);
                }
            }
        }
        if (!list->is_array() || found.size() != list->as_array().size()) {
            mistakes_.add_at_key(*list, key,
                                 fmt::format("found {}; allowed: [[{}]] tables", key, key));
        }
        return found;
    }

    void read_workload(const Toml& table) {
        Fields fields(table, mistakes_);
        const Toml* name = fields.take("name");
        if (name == nullptr) {
            mistakes_.add(table, "[[workload]]: name is missing; allowed: " + workload_names(", "));
            return;
        }
        const auto word = read_word(*name, "name", words(workload_names("|")), mistakes_);
        if (!word) {
            return;  // without its workload nothing can be said of the other keys
        }
        const Workload& workload = *std::ranges::find(catalogue(), *word, &Workload::name);
        const auto invocations = fields.number("invocations", 1, kMostInvocations);
        const auto timeout = fields.number("timeout", 1, kMostSeconds);
        const auto events = fields.toggle("events");
        const auto noise_floor = read_noise_floor(fields, mistakes_);
        std::vector<json> crossed = {json::object()};
        std::map<std::string, std::vector<json>> sweeps;
        for (const Parameter& parameter : workload.parameters) {
            sweeps[parameter.name] = values_of(parameter, fields, table);
            crossed = cross(crossed, parameter.name, sweeps[parameter.name]);
        }
        fields.end();
        for (const json& parameters : crossed) {
            const std::string problem = problem_of(workload, parameters);
            if (!problem.empty()) {
                mistakes_.add(table, "[[workload]]: " + problem);
                return;
            }
            const auto same = [&](const Configuration& other) {
                return other.workload == &workload && other.parameters == parameters;
            };
            if (std::ranges::any_of(experiment_.configurations, same)) {
                mistakes_.add(table, fmt::format("[[workload]]: {} {} is there already",
                                                 workload.title_of(parameters), parameters.dump()));
                return;
            }
            experiment_.configurations.push_back(
                {&workload, parameters, static_cast<unsigned>(invocations.value_or(invocations_)),
                 static_cast<double>(timeout.value_or(timeout_)),
                 events.value_or(experiment_.events), noise_floor.value_or(experiment_.noise_floor),
                 level_of(parameters, sweeps), place_of(table)});
        }
    }

    // The level of the one of its values that comes last.
    unsigned level_of(const json& parameters,
                      const std::map<std::string, std::vector<json>>& sweeps) {
        unsigned level = 0;
        for (const auto& [name, values] : sweeps) {
            const auto place = std::ranges::find(values, parameters.at(name)) - values.begin();
            level = std::max(level, fill_in_levels(values.size()).at(static_cast<size_t>(place)));
        }
        return experiment_.fill_in ? level : 0;
    }

    std::vector<json> cross(const std::vector<json>& so_far, const std::string& name,
                            const std::vector<json>& values) {
        std::vector<json> all;
        for (const json& each : so_far) {
            for (const json& value : values) {
                json more = each;
                more[name] = value;
                all.push_back(std::move(more));
            }
        }
        return all;
    }

    std::vector<json> values_of(const Parameter& parameter, Fields& fields, const Toml& table) {
        const Toml* value = fields.take(parameter.name);
        if (value == nullptr) {
            const bool word = parameter.type == Parameter::Type::kWord;
            if (word &&
                std::ranges::find(parameter.allowed, parameter.initial.get<std::string>()) ==
                    parameter.allowed.end()) {
                mistakes_.add(table, fmt::format("{} is missing", parameter.name));
            }
            return {parameter.initial};
        }
        std::vector<json> found;
        for (const Toml* each : alternatives(*value, parameter.name, mistakes_)) {
            const json one = value_of(parameter, *each);
            if (!one.is_null()) {
                found.push_back(one);
            }
        }
        return found;
    }

    json value_of(const Parameter& parameter, const Toml& value) {
        const auto or_null = [](const auto& found) { return found ? json(*found) : json(); };
        switch (parameter.type) {
            case Parameter::Type::kNumber:
                return or_null(read_number(value, parameter.name, parameter.least,
                                           parameter.greatest, mistakes_));
            case Parameter::Type::kDecimal:
                return or_null(read_decimal(value, parameter.name, parameter.least,
                                            parameter.greatest, mistakes_));
            case Parameter::Type::kSwitch:
                return or_null(read_toggle(value, parameter.name, mistakes_));
            case Parameter::Type::kWord:
                return or_null(read_word(value, parameter.name, parameter.allowed, mistakes_));
            case Parameter::Type::kLoad:
                return or_null(read_load(value, parameter.name, mistakes_));
            default:
                return or_null(read_text(value, parameter.name, mistakes_));
        }
    }

    void read_subject(const Toml& table) {
        Fields fields(table, mistakes_);
        const auto pin = read_pin(fields, mistakes_);
        const std::vector<std::string> workloads = read_workloads_of(fields);
        const size_t before = experiment_.subjects.size();
        read_subject_of_a_kind(table, fields);
        for (size_t i = before; i < experiment_.subjects.size(); ++i) {
            Subject& subject = experiment_.subjects[i];
            subject.workloads = workloads;
            if (pin) {
                experiment_.pins[subject.name] = *pin;
            }
        }
    }

    // Those that a subject runs; none: all.
    std::vector<std::string> read_workloads_of(Fields& fields) {
        std::vector<std::string> found;
        if (const Toml* names = fields.take("workloads")) {
            const std::vector<std::string> allowed = words(workload_names("|"));
            for (const Toml* each : alternatives(*names, "workloads", mistakes_)) {
                found.push_back(read_word(*each, "workloads", allowed, mistakes_).value_or(""));
            }
        }
        return found;
    }

    void read_subject_of_a_kind(const Toml& table, Fields& fields) {
        if (const Toml* python = fields.take("python")) {
            const std::vector<std::string> ways = read_collecting(fields, mistakes_);
            fields.end();
            for (const Toml* each : alternatives(*python, "python", mistakes_)) {
                read_interpreter(*each, ways);
            }
            return;
        }
        if (const Toml* peer = fields.take("peer")) {
            fields.end();
            for (const Toml* each : alternatives(*peer, "peer", mistakes_)) {
                read_peer(*each);
            }
            return;
        }
        const auto name = fields.text("name");
        const auto program = program_of(fields);
        std::vector<Subject> crossed(1);
        for (const std::string& key : words(Ouro_SettingKeys())) {
            if (const Toml* value = fields.take(key)) {
                crossed = cross_setting(crossed, key, *value);
            }
        }
        fields.end();
        if (!program) {
            return;  // what is wrong with it is told
        }
        if (table.as_table().empty()) {
            mistakes_.add(table, "[[subject]]: is empty; allowed: python, peer, ouro, build, name, "
                                 "workloads, pin, " +
                                     joined(words(Ouro_SettingKeys()), ", "));
            return;
        }
        if (name && crossed.size() > 1) {
            mistakes_.add_at_key(
                table.as_table().at("name"), "name",
                "name: found one for several subjects; allowed: no list beside it");
            return;
        }
        for (Subject& subject : crossed) {
            subject.program = program->path;
            subject.one_thread = program->one_thread;
            subject.name = "ouro-" + (name ? *name : setting_name(subject) + program->suffix);
            const auto version = output_of({subject.program, "--version"});
            if (!version) {
                mistakes_.add(program->place == nullptr ? table : *program->place,
                              fmt::format("{}{} is not a program that answers --version",
                                          program->key, subject.program));
                return;
            }
            subject.version = *version;
            add_subject(table, subject);
        }
    }

    // A command of ours: where it is, and what of the file says so.
    struct Program {
        std::string path;
        std::string suffix;  // of the subject's name
        std::string key;     // before a message
        const Toml* place = nullptr;
        bool one_thread = false;
    };

    // This program, unless another is named, or the same of another build: `plain` is in build-plain
    // where this one is in build.
    std::optional<Program> program_of(Fields& fields) {
        const Toml* named = fields.take("ouro");
        const Toml* build = fields.take("build");
        if (named != nullptr && build != nullptr) {
            mistakes_.add_at_key(*build, "build", "build: found beside ouro; allowed: one of them");
            return {};
        }
        if (named != nullptr) {
            const auto path = read_text(*named, "ouro", mistakes_);
            return path ? std::optional<Program>(
                              {std::filesystem::absolute(*path).lexically_normal().string(), "",
                               "ouro: ", named})
                        : std::nullopt;
        }
        if (build == nullptr) {
            return Program{places().ouro, "", ""};
        }
        const auto word = read_word(*build, "build", {"plain"}, mistakes_);
        if (!word) {
            return {};
        }
        experiment_.needs.builds.push_back(*word);
        const std::filesystem::path here = places().ouro;
        const std::filesystem::path directory = here.parent_path().parent_path();
        const std::filesystem::path other = directory.parent_path() /
                                            (directory.filename().string() + "-" + *word) / "bin" /
                                            here.filename();
        if (!std::filesystem::exists(other)) {
            experiment_.warnings.push_back(fmt::format(
                "build = \"{}\" is left out: {} is not there; experiments/run builds it", *word,
                other.string()));
            return {};
        }
        return Program{other.string(), "+build=" + *word, "build: ", build, true};
    }

    std::vector<Subject> cross_setting(const std::vector<Subject>& so_far, const std::string& key,
                                       const Toml& list) {
        std::vector<Subject> all;
        for (const Toml* each : alternatives(list, key, mistakes_)) {
            const auto value = read_setting(*each, key);
            for (Subject subject : value ? so_far : std::vector<Subject>()) {
                subject.settings.emplace_back(key, *value);
                all.push_back(std::move(subject));
            }
        }
        return all;
    }

    // One of a setting's words or, where its values are a range such as "0..256", a number.
    std::optional<std::string> read_setting(const Toml& value, const std::string& key) {
        const std::string allowed = Ouro_SettingValues(key.c_str());
        const size_t dots = allowed.find("..");
        if (dots == std::string::npos) {
            return read_word(value, key, words(allowed), mistakes_);
        }
        const auto number = read_number(value, key, std::stoll(allowed.substr(0, dots)),
                                        std::stoll(allowed.substr(dots + 2)), mistakes_);
        return number ? std::optional(std::to_string(*number)) : std::nullopt;
    }

    // The engine, and whatever is set besides: "stw", "stw+refcount=atomic".
    std::string setting_name(const Subject& subject) {
        std::string name = words(Ouro_SettingValues("engine"))[0];
        std::string more;
        for (const auto& [key, value] : subject.settings) {
            if (key == "engine") {
                name = value;
            } else {
                more += fmt::format("+{}={}", key, value);
            }
        }
        return name + more;
    }

    void read_interpreter(const Toml& value, const std::vector<std::string>& ways) {
        const auto name = read_text(value, "python", mistakes_);
        if (!name) {
            return;
        }
        if (*name == "auto" || *name == "all") {
            const std::vector<Interpreter> found =
                find_interpreters(*name == "all" ? Installed::kAll : Installed::kUsual);
            std::ranges::for_each(found,
                                  [&](const Interpreter& each) { add_interpreter(each, ways); });
            if (found.empty()) {
                experiment_.warnings.push_back(
                    fmt::format("python = \"{}\" found no CPython from 3.8 on", *name));
            }
        } else if (const auto known = probe(*name)) {
            add_interpreter(*known, ways);
        } else {
            mistakes_.add(value, "python: " + not_an_interpreter(*name));
        }
    }

    // The same version twice is one. Each way only where it can be had.
    void add_interpreter(const Interpreter& found, const std::vector<std::string>& ways) {
        for (const std::string& way : ways) {
            add_interpreter(found, way);
        }
    }

    void add_interpreter(const Interpreter& found, const std::string& way) {
        Subject subject{Subject::Kind::kPython, found.name, found.path, {}, found.version};
        subject.free_threaded = found.free_threaded;
        subject.configured = found.configured;
        if (way != kAsItIs) {
            experiment_.needs.bridge |= way == kBridge;
            subject.name += "-" + way;
            subject.arguments = {
                (places().experiments / "peers" / "cpython" / "collecting.py").string(), way,
                places().package.string()};
            Words question = {found.path, "-I", "-S"};
            question.insert(question.end(), subject.arguments.begin(), subject.arguments.end());
            // Before it is built nobody can tell.
            if (ready_ && !output_of(question)) {
                experiment_.warnings.push_back(
                    fmt::format("bridge: {} is left out: the bridge is not built for it, or does "
                                "not support it",
                                subject.name));
                return;
            }
        }
        if (std::ranges::find(experiment_.subjects, subject.name, &Subject::name) ==
            experiment_.subjects.end()) {
            experiment_.subjects.push_back(subject);
        }
    }

    // "auto", a peer, or one of its variants: "cppgc", "cppgc/cppgc-atomic".
    void read_peer(const Toml& value) {
        const auto asked = read_text(value, "peer", mistakes_);
        if (!peers_) {
            peers_ = find_peers(places(), mistakes_);
        }
        if (!asked || !mistakes_.none()) {
            return;
        }
        experiment_.needs.peers.push_back(*asked);
        if (*asked == "auto") {
            std::ranges::for_each(*peers_, [this](const Peer& each) { add_peer(each, {}); });
            if (peers_->empty()) {
                experiment_.warnings.push_back("peer = \"auto\" found none in experiments/peers");
            }
            return;
        }
        const auto refuse = [&](const std::vector<std::string>& allowed) {
            mistakes_.add(value, fmt::format("peer: found '{}'; {}", *asked,
                                             allowed_words(*asked, joined(allowed))));
        };
        const size_t slash = std::min(asked->find('/'), asked->size());
        const auto peer = std::ranges::find(*peers_, asked->substr(0, slash), &Peer::name);
        if (peer == peers_->end()) {
            std::vector<std::string> names = {"auto"};
            std::ranges::transform(*peers_, std::back_inserter(names), &Peer::name);
            refuse(names);
            return;
        }
        const std::string variant = slash == asked->size() ? "" : asked->substr(slash + 1);
        if (slash < asked->size() &&
            std::ranges::find(peer->variants, variant, &Peer::Variant::name) ==
                peer->variants.end()) {
            std::vector<std::string> names;
            for (const Peer::Variant& each : peer->variants) {
                names.push_back(peer->name + "/" + each.name);
            }
            refuse(names);
            return;
        }
        add_peer(*peer, variant);
    }

    // The variant of this name, or all; the same twice is one.
    void add_peer(const Peer& peer, const std::string& wanted) {
        for (const Peer::Variant& each : peer.variants) {
            const auto same = [&](const auto& other) { return other.first == each.name; };
            if ((!wanted.empty() && each.name != wanted) ||
                std::ranges::find(experiment_.subjects, each.name, &Subject::name) !=
                    experiment_.subjects.end() ||
                std::ranges::any_of(experiment_.skipped, same)) {
                continue;
            }
            if (peer.missing.empty()) {
                experiment_.subjects.push_back(subject_of(peer, each));
            } else {
                experiment_.skipped.emplace_back(each.name, peer.missing);
            }
        }
    }

    void add_subject(const Toml& table, const Subject& subject) {
        const auto plain = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) ||
                   std::string_view("+-_.=").find(c) != std::string_view::npos;
        };
        if (!std::ranges::all_of(subject.name, plain)) {
            mistakes_.add(table.as_table().at("name"),
                          fmt::format("name: found '{}'; allowed: letters, digits and + - _ . =",
                                      subject.name.substr(5)));
        } else if (std::ranges::find(experiment_.subjects, subject.name, &Subject::name) !=
                   experiment_.subjects.end()) {
            mistakes_.add(table, fmt::format("[[subject]]: {} is there already; two of the same "
                                             "settings need a name",
                                             subject.name));
        } else {
            experiment_.subjects.push_back(subject);
        }
    }

    void check_whole(const Toml& table, const std::string& path) {
        const auto& all = table.as_table();
        const auto complain = [&](const std::string& key, const std::string& what) {
            const auto at = all.find(key);
            if (at != all.end()) {
                mistakes_.add(at->second, what);
            } else {
                mistakes_.add(path, 1, 1, what);
            }
        };
        if (experiment_.configurations.empty()) {
            complain("workload", "there is no [[workload]]; allowed: " + workload_names(", "));
        }
        if (!ready_ && (!experiment_.skipped.empty() || !experiment_.needs.builds.empty())) {
            // What is to be built may be all that there is.
        } else if (experiment_.subjects.empty() && !experiment_.skipped.empty()) {
            const auto& [name, reason] = experiment_.skipped.front();
            complain("subject",
                     fmt::format("there is no [[subject]] that can run: {}: {}", name, reason));
        } else if (experiment_.subjects.empty()) {
            complain("subject", "there is no [[subject]]: an engine of ours, a python, or a peer");
        }
        check_peers(complain);
        if (experiment_.configurations.size() > kMostConfigurations) {
            complain("workload",
                     fmt::format("{} configurations; allowed: at most {}",
                                 experiment_.configurations.size(), kMostConfigurations));
        }
        const auto captures = [](const Configuration& each) { return each.workload->captures; };
        const auto python = [](const Subject& each) { return each.kind == Subject::Kind::kPython; };
        if (std::ranges::any_of(experiment_.configurations, captures) &&
            std::ranges::none_of(experiment_.subjects, python)) {
            complain("subject",
                     "a captured heap needs a [[subject]] with python = \"auto\" or a path");
        }
        for (const std::string& title : uncaptured(experiment_)) {
            experiment_.warnings.push_back(
                title + " is left out: no interpreter of the subjects captures it");
        }
    }

    // A peer that has nothing to run is one that was asked for by mistake.
    template <typename Complain>
    void check_peers(Complain complain) const {
        if (peers_ && std::ranges::none_of(experiment_.configurations,
                                           [](const auto& each) { return each.workload->peers; })) {
            std::vector<std::string> names;
            for (const Workload& each : catalogue()) {
                if (each.peers) {
                    names.push_back(each.name);
                }
            }
            complain("workload",
                     "there is no [[workload]] that peers run; allowed: " + joined(names, ", "));
        }
    }

    static std::string workload_names(const std::string& separator) {
        std::vector<std::string> names;
        for (const Workload& each : catalogue()) {
            names.push_back(each.name);
        }
        return joined(names, separator);
    }

    Experiment& experiment_;
    Mistakes& mistakes_;
    bool ready_;
    int64_t invocations_ = 1;
    int64_t timeout_ = 0;
    std::optional<std::vector<Peer>> peers_;  // if any was asked for
};

}  // namespace

Experiment read_experiment(const ConfigSource& source, const std::vector<std::string>& overrides,
                           const std::vector<std::string>& interpreters, bool ready) {
    Mistakes mistakes;
    Experiment experiment;
    const Document document = read_document(source, overrides, mistakes);
    if (mistakes.none()) {
        experiment.files = document.files;
        experiment.overrides = overrides;
        Reader(experiment, mistakes, ready).read(document.table, source.name, interpreters);
    }
    if (!mistakes.none()) {
        throw BadExperiment(mistakes.text());
    }
    return experiment;
}

}  // namespace ouro::runner
