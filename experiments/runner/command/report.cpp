// `ouro report`: figures, tables and the page of a results directory, by plots/report.py.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "experiments/runner/command/command.hpp"
#include "experiments/runner/command/commands.hpp"

namespace ouro::runner {

Command add_report(CLI::App& app) {
    struct Wanted {
        std::string directory;
        std::vector<std::string> figures;
        std::string formats;
        bool gate = false;
        bool require = false;
    };
    const auto wanted = std::make_shared<Wanted>();
    CLI::App* command = app.add_subcommand(
        "report",
        "draw a results directory, and say which conditions of a claim hold for each figure");
    command->add_option("directory", wanted->directory, "what `ouro run` wrote")->required();
    command->add_option("figure", wanted->figures, "with --gate: these alone");
    command->add_option("--formats", wanted->formats,
                        "svg, pdf, png, or several of them: which files of each figure; else all");
    command->add_flag("--gate", wanted->gate,
                      "draw nothing, say which conditions hold and why not");
    command->add_flag("--require", wanted->require,
                      "as --gate; exit status 1 if one does not hold");
    return {command, [wanted] {
                const bool gate = wanted->gate || wanted->require;
                if (!gate && !wanted->figures.empty()) {
                    std::fputs("ouro: report: figures can be named with --gate alone\n", stderr);
                    return kExitBadArguments;
                }
                if (gate && !wanted->formats.empty()) {
                    std::fputs("ouro: report: --formats: with --gate nothing is drawn\n", stderr);
                    return kExitBadArguments;
                }
                std::vector<std::string> arguments = wanted->figures;
                arguments.insert(arguments.begin(), wanted->directory);
                if (!wanted->formats.empty()) {
                    arguments.insert(arguments.begin(), {"--formats", wanted->formats});
                }
                if (wanted->require) {
                    arguments.emplace_back("--require");
                }
                return run_plots(gate ? "gate.py" : "report.py", arguments);
            }};
}

}  // namespace ouro::runner
