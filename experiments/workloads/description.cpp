#include "experiments/workloads/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ouro::workloads {
namespace {

std::vector<Description>& all() {
    static std::vector<Description> found;
    return found;
}

void add_load_parameters(std::vector<Parameter>& parameters) {
    parameters.push_back(
        Parameter::number("threads", 1, 1, 8, "mutators, each with its part of what is alive"));
    parameters.push_back(
        Parameter::number("seconds", 10, 1, 1'000'000, "of the run, building not counted"));
    parameters.push_back({.name = "load",
                          .type = Parameter::Type::kLoad,
                          .initial = "saturated",
                          .help = "operations at fixed times: per cent of what the same mutators "
                                  "do with engine off, measured just before, or so many a second; "
                                  "or saturated; or two of these, which take turns of a second"});
}

// What the size must be with these values; empty if it is.
std::string too_small(const Description& description, const Values& values,
                      std::string_view prefix) {
    const uint64_t times = description.least.times;
    if (times == 0) {
        return "";
    }
    const std::string_view of = description.least.of;
    const uint64_t each = times * (of.empty() ? 1 : values.at(of).get<uint64_t>());
    const uint64_t mutators = description.under_load() ? values.at("threads").get<uint64_t>() : 1;
    if (values.at(description.size).get<uint64_t>() >= each * mutators) {
        return "";
    }
    return fmt::format(
        "at least {}{}{}{}", times > 1 && !of.empty() ? fmt::format("{} times ", times) : "",
        of.empty() ? "" : fmt::format("{}{}, ", prefix, of), each, mutators > 1 ? " a thread" : "");
}

}  // namespace

std::optional<Problem> Description::problem_of(const Values& values,
                                               std::string_view prefix) const {
    std::string small = too_small(*this, values, prefix);
    if (!small.empty()) {
        return Problem{size, std::move(small)};
    }
    return problem == nullptr ? std::nullopt : problem(values, prefix);
}

const std::vector<Description>& descriptions() {
    return all();
}

Described::Described(Description description) {
    if (description.under_load()) {
        add_load_parameters(description.parameters);
    }
    const auto place = std::ranges::lower_bound(all(), description.name, {}, &Description::name);
    all().insert(place, std::move(description));
}

}  // namespace ouro::workloads
