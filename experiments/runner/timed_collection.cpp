#include "experiments/runner/timed_collection.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "experiments/runner/clock.hpp"

namespace ouro::runner {

int64_t timed_collection(Py_ssize_t expected) {
    const int64_t start = wall_ns();
    const Py_ssize_t found = PyGC_Collect();
    const int64_t ns = wall_ns() - start;
    if (found != expected && std::string(Ouro_Setting("engine")) != "off") {
        throw std::runtime_error(
            fmt::format("a collection found {} objects, not {}", found, expected));
    }
    return ns;
}

}  // namespace ouro::runner
