#include "experiments/runner/command/command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "experiments/runner/build_config.hpp"
#include "experiments/runner/words.hpp"
#include "ouroboros.h"

namespace ouro::runner {
namespace {

std::string option_names(const CLI::App& app) {
    std::string names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names += (names.empty() ? "--" : "|--") + name;
        }
    }
    return names;
}

void refuse_own_extras(const CLI::App& app, const std::string& place) {
    for (const std::string& extra : app.remaining()) {
        if (extra.starts_with("-")) {
            refuse(place, extra, option_names(app));
        }
        const std::string names = subcommand_names(app);
        if (names.empty()) {
            fmt::print(stderr, "ouro: {}: unexpected argument '{}'\n", place, extra);
            std::exit(kExitBadArguments);
        }
        refuse(place, extra, names);
    }
}

}  // namespace

std::string allowed_words(const std::string& found, const std::string& allowed) {
    const char* nearest = Ouro_NearestWord(found.c_str(), allowed.c_str());
    std::string list = allowed;
    for (size_t at = 0; (at = list.find('|', at)) != std::string::npos;) {
        list.replace(at, 1, ", ");
    }
    return fmt::format("allowed: {}{}", list,
                       nearest == nullptr ? "" : fmt::format("; did you mean '{}'?", nearest));
}

void refuse(const std::string& place, const std::string& found, const std::string& allowed) {
    fmt::print(stderr, "ouro: {}: found '{}'; {}\n", place, found, allowed_words(found, allowed));
    std::exit(kExitBadArguments);
}

bool configure_from_environment() {
    const char* problem = nullptr;
    if (Ouro_Configure("", &problem) != 0) {
        fmt::print(stderr, "ouro: {}\n", problem);
        return false;
    }
    return true;
}

void add_settings(CLI::App& app, std::map<std::string, std::string>& settings) {
    for (const std::string& key : words(Ouro_SettingKeys())) {
        app.add_option("--" + key, settings[key], Ouro_SettingValues(key.c_str()));
    }
}

void configure(const std::string& command, const std::map<std::string, std::string>& settings) {
    for (const auto& [key, value] : settings) {
        const std::string setting = fmt::format("{}={}", key, value);
        if (!value.empty() && Ouro_Configure(setting.c_str(), nullptr) != 0) {
            refuse(fmt::format("{} --{}", command, key), value, Ouro_SettingValues(key.c_str()));
        }
    }
}

std::FILE* open_output(const std::string& place) {
    return place == "-" ? stdout : std::fopen(place.c_str(), "we");
}

bool write_output(std::FILE* file, std::string_view text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const bool closed = file == stdout ? std::fflush(file) == 0 : std::fclose(file) == 0;
    return written && closed;
}

std::string subcommand_names(const CLI::App& app) {
    std::string names;
    for (const CLI::App* sub : app.get_subcommands({})) {
        names += (names.empty() ? "" : "|") + sub->get_name();
    }
    return names;
}

void refuse_extras(const CLI::App& app, const std::string& place) {
    refuse_own_extras(app, place);
    for (const CLI::App* command : app.get_subcommands()) {
        const bool top = app.get_parent() == nullptr;
        refuse_extras(*command, top ? command->get_name() : place + " " + command->get_name());
    }
}

std::optional<std::string> read_file(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    return file && text << file.rdbuf() ? std::optional(text.str()) : std::nullopt;
}

int run_plots(const std::string& script, const std::vector<std::string>& arguments) {
    const char* const python = "/usr/bin/python3";
    const auto plots = build_paths(std::filesystem::canonical("/proc/self/exe")).plots_dir;
    std::vector<std::string> words = {python, (plots / script).string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    execv(python, pointers.data());
    fmt::print(stderr, "ouro: {}: {}\n", python, std::strerror(errno));
    return kExitFailed;
}

}  // namespace ouro::runner
