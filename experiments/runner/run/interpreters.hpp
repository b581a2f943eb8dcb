// CPython interpreters on this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ouro::runner {

struct Interpreter {
    // "cpython-3.11.2", "cpython-3.15.0rc1", with a t at the end for a free-threaded build.
    std::string name;
    std::string path;     // absolute
    std::string version;  // sys.version
    // What its `configure` was given, as a shell takes it: optimized by a profile, linked as a whole, or neither. Empty
    // where the interpreter does not say.
    std::string configured;
    bool free_threaded;
};

// A CPython from 3.8 on; nothing if `path` (or a name to be found on PATH) is none, or does not run.
std::optional<Interpreter> probe(const std::string& path);

// What to say of a name that probe finds nothing for.
std::string not_an_interpreter(const std::string& name);

enum class Installed {
    kUsual,  // /usr/bin/python3 and the free-threaded ones on PATH
    kAll,    // all on PATH as well
};

// Those that run, each version once, the oldest on PATH first. On PATH are python3.N and python3.Nt.
std::vector<Interpreter> find_interpreters(Installed which_of_them);

}  // namespace ouro::runner
