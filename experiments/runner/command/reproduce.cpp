// `ouro reproduce`: the paper's experiments, run here, and each of its claims checked, by
// plots/reproduce.py.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "experiments/runner/command/command.hpp"
#include "experiments/runner/command/commands.hpp"

namespace ouro::runner {
namespace {

constexpr const char* kReproduceFooter = R"(
DIR gets a results directory for each experiment, claims.md, and reproduction.html with the figures
of the paper, of these results and of the paper's own. What is in DIR already is gone on with.

Exit status: 0 every claim with a limit of the project is held or open; 1 one is not held or could
not be measured; 2 bad arguments; 130 interrupted. What was published elsewhere has no say in that.)";

}  // namespace

Command add_reproduce(CLI::App& app) {
    struct Wanted {
        std::string from, directory, claims_file;
        std::vector<std::string> claims;
        bool quick = false;
    };
    const auto wanted = std::make_shared<Wanted>();
    CLI::App* command = app.add_subcommand(
        "reproduce", "run the experiments of the paper and check each of its claims");
    command->add_option("CLAIM", wanted->claims, "these alone");
    command->add_flag(
        "--quick", wanted->quick,
        "small sizes, few invocations, a quarter of an hour at most; not to judge by");
    command->add_option("--from", wanted->from, "measure nothing, check what is in DIR")
        ->type_name("DIR");
    command
        ->add_option("-o,--output", wanted->directory,
                     "where the results go (results/TIME-reproduce)")
        ->type_name("DIR");
    command->add_option("--claims", wanted->claims_file, "other claims than the paper's")
        ->type_name("FILE");
    command->footer(kReproduceFooter);
    return {command, [wanted] {
                std::vector<std::string> arguments = {
                    "--ouro", std::filesystem::canonical("/proc/self/exe").string()};
                const auto add = [&](const char* flag, const std::string& value) {
                    if (!value.empty()) {
                        arguments.insert(arguments.end(), {flag, value});
                    }
                };
                add("--from", wanted->from);
                add("--output", wanted->directory);
                add("--claims", wanted->claims_file);
                if (wanted->quick) {
                    arguments.emplace_back("--quick");
                }
                arguments.insert(arguments.end(), wanted->claims.begin(), wanted->claims.end());
                return run_plots("reproduce.py", arguments);
            }};
}

}  // namespace ouro::runner
