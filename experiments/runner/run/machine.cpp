#include "experiments/runner/run/machine.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

#include "experiments/runner/build_config.hpp"
#include "experiments/runner/run/experiment_fields.hpp"
#include "experiments/runner/run/process.hpp"
#include "experiments/runner/words.hpp"
#include "ouroboros.h"

namespace ouro::runner {
namespace {

using nlohmann::json;

// A file's text without the white space at its end; nothing if there is none.
std::optional<std::string> contents(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    if (!file || !(text << file.rdbuf())) {
        return {};
    }
    std::string found = text.str();
    while (!found.empty() && std::isspace(static_cast<unsigned char>(found.back()))) {
        found.pop_back();
    }
    return found;
}

json or_null(const std::optional<std::string>& text) {
    return text ? json(*text) : json();
}

// The value of a line "name : value" or "name=value".
std::optional<std::string> field(const std::string& path, std::string_view name, char separator) {
    for (const std::string& line : words(contents(path).value_or(""), '\n')) {
        const size_t at = line.find(separator);
        if (at == std::string::npos || !line.starts_with(name) ||
            line.find_first_not_of(" \t", name.size()) != at) {
            continue;
        }
        const size_t from = line.find_first_not_of(" \t\"", at + 1);
        const size_t end = line.find_last_not_of(" \t\"");
        return from == std::string::npos ? "" : line.substr(from, end - from + 1);
    }
    return {};
}

size_t memory(std::string_view name) {
    const std::optional<std::string> value = field("/proc/meminfo", name, ':');
    return value ? std::strtoull(value->c_str(), nullptr, 10) * 1024 : 0;
}

// The word in brackets of a setting such as "always [madvise] never".
json chosen(const std::string& path) {
    const std::string text = contents(path).value_or("");
    const size_t from = text.find('[');
    const size_t end = text.find(']');
    return from == std::string::npos || end == std::string::npos
               ? json()
               : json(text.substr(from + 1, end - from - 1));
}

json usable_cores() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? json(CPU_COUNT(&set)) : json();
}

json environment() {
    json found = json::object();
    for (char** each = environ; *each != nullptr; ++each) {
        const std::string_view entry = *each;
        for (const char* prefix : {"OURO", "MALLOC_", "GLIBC_", "LD_", "PYTHON"}) {
            if (entry.starts_with(prefix)) {
                const size_t equals = entry.find('=');
                found[std::string(entry.substr(0, equals))] = entry.substr(equals + 1);
            }
        }
    }
    return found;
}

// Installed versions of the packages that experiments/packages.txt names.
json packages(const Places& places) {
    std::set<std::string> wanted = {"libc6"};
    for (std::string line :
         words(contents((places.experiments / "packages.txt").string()).value_or(""), '\n')) {
        line = line.substr(0, line.find('#'));
        for (const std::string& word : words(line, ' ')) {
            if (word[0] != '[') {
                wanted.insert(word);
            }
        }
    }
    json versions = json::object();
    const auto listed = output_of({"dpkg-query", "-W", "-f", "${Package} ${Version}\n"});
    for (const std::string& line : words(listed.value_or(""), '\n')) {
        const size_t space = line.find(' ');
        if (space != std::string::npos && wanted.contains(line.substr(0, space))) {
            versions[line.substr(0, space)] = line.substr(space + 1);
        }
    }
    return versions;
}

}  // namespace

size_t available_memory() {
    return memory("MemAvailable");
}

json load_average() {
    double load;
    return getloadavg(&load, 1) == 1 ? json(std::round(load * 100) / 100) : json();
}

std::string utc_now() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}+00:00", fmt::gmtime(std::time(nullptr)));
}

json describe_machine() {
    utsname system;
    uname(&system);
    const Words flags = words(field("/proc/cpuinfo", "flags", ':').value_or(""), ' ');
    return {
        {"cpu", field("/proc/cpuinfo", "model name", ':').value_or(system.machine)},
        {"cores", sysconf(_SC_NPROCESSORS_CONF)},
        {"usable_cores", usable_cores()},
        {"l3_cache", or_null(contents("/sys/devices/system/cpu/cpu0/cache/index3/size"))},
        {"governor", or_null(contents("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"))},
        {"hypervisor", std::ranges::find(flags, "hypervisor") != flags.end()},
        {"kernel", system.release},
        {"system", or_null(field("/etc/os-release", "PRETTY_NAME", '='))},
        {"thp", chosen("/sys/kernel/mm/transparent_hugepage/enabled")},
        {"memory_bytes", memory("MemTotal")},
        {"memory_available_bytes", available_memory()},
        {"load_before", load_average()},
        {"environment", environment()},
    };
}

json describe_build(const Places& places) {
    const std::string root = places.experiments.parent_path().string();
    const auto git = [&](Words arguments) {
        arguments.insert(arguments.begin(), {"git", "-C", root});
        return output_of(arguments);
    };
    const auto changes = git({"status", "--porcelain"});
    return {
        {"ouro", places.ouro},
        {"ouro_version", std::string("ouro ") + Ouro_Version()},
        {"compiler", kCompiler},
        {"build_type", kBuildType},
        {"flags", kFlags},
        {"sanitize", kSanitize},
        {"commit", or_null(git({"rev-parse", "HEAD"}))},
        {"tree_changed", changes ? json(!changes->empty()) : json()},
        {"packages", packages(places)},
    };
}

namespace {

// What an interpreter runs or loads of a folder and those in it.
void add_sources(const std::filesystem::path& folder, std::set<std::string>& files) {
    std::error_code none;  // of a folder
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, none)) {
        const std::string extension = entry.path().extension();
        if (entry.is_regular_file() &&
            (extension == ".py" || extension == ".c" || extension == ".so")) {
            files.insert(entry.path());
        }
    }
}

}  // namespace

std::string fingerprint(const Places& places, const std::vector<Subject>& subjects) {
    std::set<std::string> files = {places.ouro};
    if (std::filesystem::exists(places.library)) {
        files.insert(places.library);
    }
    for (const Subject& each : subjects) {
        if (each.kind == Subject::Kind::kOurs) {
            files.insert(each.program);
            // Of another build, beside its own library.
            const std::filesystem::path library =
                std::filesystem::path(each.program).parent_path().parent_path() / "lib" /
                places.library.filename();
            if (std::filesystem::exists(library)) {
                files.insert(library);
            }
        }
        if (each.kind == Subject::Kind::kPython) {
            add_sources(places.experiments / "peers" / "cpython", files);
            add_sources(places.experiments / "capture", files);
            if (std::ranges::find(each.arguments, kBridge) != each.arguments.end()) {
                add_sources(places.package / "ouroboros", files);
            }
        }
        if (each.kind == Subject::Kind::kPeer) {
            const std::filesystem::path folder = std::filesystem::path(each.program).parent_path();
            for (const auto& entry : std::filesystem::directory_iterator(folder)) {
                if (entry.is_regular_file()) {
                    files.insert(entry.path());
                }
            }
        }
    }
    Words command = {"sha256sum"};
    command.insert(command.end(), files.begin(), files.end());
    return output_of(command).value_or("sha256sum did not run");
}

}  // namespace ouro::runner
