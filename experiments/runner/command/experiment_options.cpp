#include "experiments/runner/command/experiment_options.hpp"

#include <fmt/format.h>

#include <cctype>
#include <fstream>
#include <sstream>

#include "experiments/runner/run/machine.hpp"
#include "experiments/runner/words.hpp"

namespace ouro::runner {
namespace {

// Of an experiment's file, at its top.
constexpr const char* kKeys[] = {"title",       "seed",   "invocations", "timeout",
                                 "noise-floor", "events", "order",       "pin"};

// "noise-floor": "OURO_RUN_NOISE_FLOOR".
std::string variable_of(const std::string& option) {
    std::string name = "OURO_RUN_" + option;
    for (char& c : name) {
        c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return name;
}

}  // namespace

void take_environment(CLI::App& command) {
    for (CLI::Option* option : command.get_options()) {
        const std::string& name =
            option->get_lnames().empty() ? option->get_name() : option->get_lnames().front();
        if (option->get_envname().empty() && !option->get_lnames().empty() && name != "help") {
            option->envname(variable_of(name));
        }
    }
}

std::vector<std::string> all_overrides(const CLI::App& command,
                                       const std::vector<std::string>& others) {
    std::vector<std::string> overrides;
    for (const char* key : kKeys) {
        const CLI::Option* option = command.get_option(fmt::format("--{}", key));
        if (option->count() > 0) {
            overrides.push_back(fmt::format("{}={}", key, option->as<std::string>()));
        }
    }
    overrides.insert(overrides.end(), others.begin(), others.end());
    return overrides;
}

void add_experiment_options(CLI::App& command, std::vector<std::string>& overrides,
                            std::vector<std::string>& interpreters) {
    command
        .add_option("--set", overrides,
                    "overrides a key of CONFIG: seed=7, workload.graph.objects=[1000]")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all();
    for (const char* key : kKeys) {
        const std::string description = fmt::format("as --set {}=VALUE", key);
        command.add_option(fmt::format("--{}", key), description)->type_name("VALUE");
    }
    command.add_option("--python", interpreters, "one more CPython, 3.8 or later")
        ->type_name("INTERPRETER")
        ->expected(1)
        ->take_all();
}

std::filesystem::path results_directory(const std::string& named, const Experiment& experiment) {
    std::filesystem::path directory = named;
    if (named.empty()) {
        std::string stamp = utc_now().substr(0, 19);
        std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
        std::string name = experiment.title;
        for (char& c : name) {
            c = std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
        }
        directory = std::filesystem::path("results") / (stamp + "Z-" + name);
    }
    directory = std::filesystem::absolute(directory).lexically_normal();
    return directory.has_filename() ? directory : directory.parent_path();
}

Words command_line() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return words(text.str(), '\0');
}

}  // namespace ouro::runner
