#include "experiments/runner/run/cpus.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <iterator>

#include "experiments/runner/words.hpp"

namespace ouro::runner {
namespace {

constexpr unsigned kGreatest = CPU_SETSIZE - 1;

}  // namespace

std::optional<Cpus> parse_cpus(const std::string& text) {
    Cpus cpus;
    for (const std::string& each : words(text, ',')) {
        const size_t dash = each.find('-');
        const auto first = number_in(each.substr(0, dash), kGreatest);
        const auto last =
            dash == std::string::npos ? first : number_in(each.substr(dash + 1), kGreatest);
        if (!first || !last || *last < *first) {
            return {};
        }
        for (unsigned cpu = *first; cpu <= *last; ++cpu) {
            cpus.push_back(cpu);
        }
    }
    std::ranges::sort(cpus);
    const auto twice = std::ranges::unique(cpus);
    cpus.erase(twice.begin(), twice.end());
    return cpus.empty() ? std::nullopt : std::optional(cpus);
}

std::string as_text(const Cpus& cpus) {
    std::string text;
    for (size_t i = 0; i < cpus.size();) {
        size_t last = i;
        while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) {
            ++last;
        }
        text += fmt::format("{}{}", text.empty() ? "" : ",", cpus[i]);
        if (last > i) {
            text += fmt::format("-{}", cpus[last]);
        }
        i = last + 1;
    }
    return text;
}

Cpus usable_cpus() {
    cpu_set_t set;
    Cpus cpus;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
            if (CPU_ISSET(cpu, &set)) {
                cpus.push_back(cpu);
            }
        }
    }
    return cpus;
}

Cpus unusable(const Cpus& cpus) {
    const Cpus usable = usable_cpus();
    Cpus rest;
    std::ranges::set_difference(cpus, usable, std::back_inserter(rest));
    return rest;
}

}  // namespace ouro::runner
