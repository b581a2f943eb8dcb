// `ouro config`: how to compile and link a program against this build.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "experiments/runner/build_config.hpp"
#include "experiments/runner/command/command.hpp"
#include "experiments/runner/command/commands.hpp"

namespace ouro::runner {
namespace {

struct ConfigArguments {
    bool cflags = false;
    bool libs = false;
    bool prefix = false;
    bool api = false;
};

// Prints the page that lists the documented C API, which lies beside the headers.
int print_api(const BuildPaths& paths) {
    for (const auto& directory : paths.include_dirs) {
        if (const auto page = read_file(directory / "API.md")) {
            fmt::print("{}", *page);
            return 0;
        }
    }
    fmt::print(stderr, "ouro config: there is no API.md beside the headers\n");
    return 1;
}

int run_config(const ConfigArguments& wanted) {
    const BuildPaths paths = build_paths(std::filesystem::canonical("/proc/self/exe"));
    if (wanted.api) {
        return print_api(paths);
    }
    std::string line;
    const auto add = [&](const std::string& word) { line += (line.empty() ? "" : " ") + word; };
    if (wanted.prefix) {
        add(paths.prefix.string());
    }
    if (wanted.cflags || (!wanted.libs && !wanted.prefix)) {
        for (const auto& directory : paths.include_dirs) {
            add("-I" + directory.string());
        }
        if (*kDefinition != '\0') {
            add(std::string("-D") + kDefinition);
        }
    }
    if (wanted.libs) {
        add("-L" + paths.library_dir.string());
        add("-Wl,-rpath," + paths.library_dir.string());
        add("-louroboros");
    }
    fmt::print("{}\n", line);
    return 0;
}

}  // namespace

Command add_config(CLI::App& app) {
    const auto wanted = std::make_shared<ConfigArguments>();
    CLI::App* command =
        app.add_subcommand("config", "how to compile and link a program against this build");
    command->add_flag("--cflags", wanted->cflags, "compiler flags");
    command->add_flag("--libs", wanted->libs, "linker flags");
    command->add_flag("--prefix", wanted->prefix, "where it is");
    command->add_flag("--api", wanted->api,
                      "the names of the documented C API, and which are here");
    return {command, [wanted] { return run_config(*wanted); }};
}

}  // namespace ouro::runner
