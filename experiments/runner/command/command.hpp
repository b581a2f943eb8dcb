// What the subcommands of `ouro` share: exit statuses and refusals, the runtime's settings, files that are written.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ouro::runner {

constexpr int kExitFailed = 1;         // what was asked for could not be done
constexpr int kExitBadArguments = 2;   // it was not asked for in a way that means something
constexpr int kExitInterrupted = 130;  // by the user: what was done is kept

constexpr const char* kForceHelp = "even if it cannot fit in memory";

// "allowed: a, b, c", and the nearest spelling if one is near. `allowed` is separated by '|'.
std::string allowed_words(const std::string& found, const std::string& allowed);

// Ends the program with kExitBadArguments: the place, what was found, what is allowed, the nearest.
[[noreturn]] void refuse(const std::string& place, const std::string& found,
                         const std::string& allowed);

// The names of an application's subcommands, separated by '|'.
std::string subcommand_names(const CLI::App& app);

// CLI11 collects what it does not know; each is refused with the nearest spelling. `app` itself, and
// whatever was parsed below it.
void refuse_extras(const CLI::App& app, const std::string& place);

// Takes the settings that the environment has (OURO). False, after a message, if they mean nothing.
bool configure_from_environment();
// An option for each of the runtime's settings. Their values go to `settings`, which outlives `app`.
void add_settings(CLI::App& app, std::map<std::string, std::string>& settings);
// Takes those that were given, and refuses what is not allowed. `command` is for messages.
void configure(const std::string& command, const std::map<std::string, std::string>& settings);

// What is in a file; nothing if it cannot be read, or is empty.
std::optional<std::string> read_file(const std::filesystem::path& path);
// Opens a file for writing, standard output for "-"; nullptr with errno.
std::FILE* open_output(const std::string& place);
// Writes and closes it; false with errno.
bool write_output(std::FILE* file, std::string_view text);

// Becomes a script of plots/ under Debian's python3, with these arguments; its exit status is the
// program's. Returns only if it cannot be started: kExitFailed, and standard error says why.
int run_plots(const std::string& script, const std::vector<std::string>& arguments);

}  // namespace ouro::runner
