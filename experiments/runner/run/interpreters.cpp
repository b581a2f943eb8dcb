#include "experiments/runner/run/interpreters.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>

#include "experiments/runner/run/process.hpp"
#include "experiments/runner/words.hpp"

namespace ouro::runner {
namespace {

// Of an interpreter that does not know how it was configured the last line is empty, and `words` leaves it out.
constexpr const char* kProbe =
    "import sys, sysconfig\n"
    "stage = {'alpha': 'a', 'beta': 'b', 'candidate': 'rc'}.get(sys.version_info[3], '')\n"
    "print('%d.%d.%d' % sys.version_info[:3] + (stage and stage + str(sys.version_info[4])))\n"
    "print('ok' if sys.version_info >= (3, 8) else 'old')\n"
    "print(sys.implementation.name)\n"
    "print('free-threaded' if 't' in getattr(sys, 'abiflags', '') else 'default')\n"
    "print(' '.join(sys.version.split()))\n"
    "print(sysconfig.get_config_var('CONFIG_ARGS') or '')\n";

std::vector<std::string> folders_on_path() {
    const char* path = std::getenv("PATH");
    return words(path == nullptr ? "" : path, ':');
}

// The path of a program, as a shell would find it.
std::optional<std::string> which(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        const std::filesystem::path path = std::filesystem::absolute(name).lexically_normal();
        return access(path.c_str(), X_OK) == 0 ? std::optional(path.string()) : std::nullopt;
    }
    for (const std::string& folder : folders_on_path()) {
        const std::string found = std::filesystem::path(folder) / name;
        if (access(found.c_str(), X_OK) == 0) {
            return found;
        }
    }
    return {};
}

// What the name of a program says of the interpreter that it is.
struct Version {
    unsigned minor;
    bool free_threaded;
    auto operator<=>(const Version&) const = default;
};

// "python3.14" and "python3.14t".
std::optional<Version> version_of(std::string_view name) {
    constexpr std::string_view kPrefix = "python3.";
    if (!name.starts_with(kPrefix)) {
        return {};
    }
    name.remove_prefix(kPrefix.size());
    const bool free_threaded = name.ends_with('t');
    name.remove_suffix(free_threaded ? 1 : 0);
    const std::optional<unsigned> minor = number_in(name);
    return minor ? std::optional(Version{*minor, free_threaded}) : std::nullopt;
}

// The interpreters on PATH that have a version in their names: the first of each, as a shell would find it.
std::map<Version, std::string> on_path() {
    std::map<Version, std::string> found;
    for (const std::string& folder : folders_on_path()) {
        std::error_code unreadable;
        for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable)) {
            const std::optional<Version> version = version_of(entry.path().filename().native());
            if (version && access(entry.path().c_str(), X_OK) == 0) {
                found.try_emplace(*version, entry.path());
            }
        }
    }
    return found;
}

}  // namespace

std::optional<Interpreter> probe(const std::string& path) {
    const std::optional<std::string> program = which(path);
    if (!program) {
        return {};
    }
    const std::optional<std::string> answer = output_of({*program, "-I", "-S", "-c", kProbe});
    const std::vector<std::string> lines = words(answer.value_or(""), '\n');
    if (lines.size() < 5 || lines.size() > 6 || lines[1] != "ok" || lines[2] != "cpython") {
        return {};
    }
    const bool free_threaded = lines[3] == "free-threaded";
    return Interpreter{"cpython-" + lines[0] + (free_threaded ? "t" : ""), *program, lines[4],
                       lines.size() == 6 ? lines[5] : "", free_threaded};
}

std::string not_an_interpreter(const std::string& name) {
    return "found '" + name + "'; allowed: \"auto\", \"all\", or a CPython from 3.8 on that runs";
}

std::vector<Interpreter> find_interpreters(Installed which_of_them) {
    std::vector<std::string> asked = {"/usr/bin/python3"};
    for (const auto& [version, path] : on_path()) {
        if (which_of_them == Installed::kAll || version.free_threaded) {
            asked.push_back(path);
        }
    }
    std::vector<Interpreter> found;
    for (const std::string& each : asked) {
        const std::optional<Interpreter> known = probe(each);
        if (known && std::ranges::find(found, known->name, &Interpreter::name) == found.end()) {
            found.push_back(*known);
        }
    }
    return found;
}

}  // namespace ouro::runner
