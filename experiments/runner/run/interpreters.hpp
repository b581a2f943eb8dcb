// CPython interpreters on this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ouro::runner {

struct Interpreter {
    std::string name;     // "cpython-3.11.2", with a t at the end for a free-threaded build
    std::string path;     // absolute
    std::string version;  // sys.version
};

// A CPython from 3.8 on; nothing if `path` (or a name to be found on PATH) is none, or does not run.
std::optional<Interpreter> probe(const std::string& path);

// /usr/bin/python3 and the free-threaded interpreters on PATH, each version once.
std::vector<Interpreter> find_interpreters();

}  // namespace ouro::runner
