#include "experiments/runner/command/experiment_options.hpp"

#include <cctype>
#include <fstream>
#include <sstream>

#include "experiments/runner/run/machine.hpp"
#include "experiments/runner/words.hpp"

namespace ouro::runner {

void add_experiment_options(CLI::App& command, std::vector<std::string>& overrides,
                            std::vector<std::string>& interpreters) {
    command
        .add_option("--set", overrides,
                    "overrides a key of CONFIG: seed=7, workload.graph.objects=[1000]")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all();
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
