#include "experiments/runner/run/interpreters.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "experiments/runner/run/process.hpp"
#include "experiments/runner/words.hpp"

namespace ouro::runner {
namespace {

constexpr const char* kProbe =
    "import sys\n"
    "print('%d.%d.%d' % sys.version_info[:3])\n"
    "print('ok' if sys.version_info >= (3, 8) else 'old')\n"
    "print(sys.implementation.name)\n"
    "print('free-threaded' if 't' in getattr(sys, 'abiflags', '') else 'default')\n"
    "print(' '.join(sys.version.split()))\n";

// The path of a program, as a shell would find it.
std::optional<std::string> which(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        const std::filesystem::path path = std::filesystem::absolute(name).lexically_normal();
        return access(path.c_str(), X_OK) == 0 ? std::optional(path.string()) : std::nullopt;
    }
    const char* path = std::getenv("PATH");
    for (const std::string& folder : words(path == nullptr ? "" : path, ':')) {
        const std::string found = std::filesystem::path(folder) / name;
        if (access(found.c_str(), X_OK) == 0) {
            return found;
        }
    }
    return {};
}

}  // namespace

std::optional<Interpreter> probe(const std::string& path) {
    const std::optional<std::string> program = which(path);
    if (!program) {
        return {};
    }
    const std::optional<std::string> answer = output_of({*program, "-I", "-S", "-c", kProbe});
    const std::vector<std::string> lines = words(answer.value_or(""), '\n');
    if (lines.size() != 5 || lines[1] != "ok" || lines[2] != "cpython") {
        return {};
    }
    return Interpreter{"cpython-" + lines[0] + (lines[3] == "free-threaded" ? "t" : ""), *program,
                       lines[4]};
}

std::vector<Interpreter> find_interpreters() {
    std::vector<Interpreter> found;
    for (const char* each :
         {"/usr/bin/python3", "python3.13t", "python3.14t", "python3.15t", "python3.16t"}) {
        const std::optional<Interpreter> known = probe(each);
        if (known && std::ranges::find(found, known->name, &Interpreter::name) == found.end()) {
            found.push_back(*known);
        }
    }
    return found;
}

}  // namespace ouro::runner
