#include "core/api/leaks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/object/live_objects.hpp"
#include "core/option/settings.hpp"

namespace ouro::api {
namespace {

using Counts = std::map<std::string, size_t>;
Counts there_at_first;

Counts count_objects() {
    Counts counts;
    object::for_each_mortal([&](PyObject* op) { ++counts[Py_TYPE(op)->tp_name]; });
    return counts;
}

}  // namespace

void begin_leak_report() {
    if (option::settings().leaks) {
        there_at_first = count_objects();
    }
}

void report_leaks() {
    if (!option::settings().leaks) {
        return;
    }
    std::vector<std::pair<std::string, size_t>> left;
    for (const auto& [name, count] : count_objects()) {
        const size_t before = there_at_first[name];
        if (count > before) {
            left.emplace_back(name, count - before);
        }
    }
    std::ranges::stable_sort(left, std::greater(), [](const auto& each) { return each.second; });
    for (const auto& [name, count] : left) {
        fmt::print(stderr, "ouro leaks: {} {}\n", count, name);
    }
    if (left.empty()) {
        fmt::print(stderr, "ouro leaks: none\n");
    }
}

}  // namespace ouro::api
