#include "experiments/runner/run/part.hpp"

#include <fmt/format.h>

#include <charconv>

namespace ouro::runner {
namespace {

std::optional<unsigned> number_in(const std::string& text) {
    unsigned value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<Shard> parse_shard(const std::string& text) {
    const size_t slash = text.find('/');
    if (slash == std::string::npos) {
        return {};
    }
    const auto number = number_in(text.substr(0, slash));
    const auto of = number_in(text.substr(slash + 1));
    if (!number || !of || *number == 0 || *number > *of || *of > kMostShards) {
        return {};
    }
    return Shard{*number, *of};
}

std::string shards_problem(unsigned shards, const Experiment& experiment) {
    const unsigned most = invocations_of(experiment);
    return shards <= most
               ? std::string()
               : fmt::format("found {} shards for {} invocation{}; allowed: at most one for each, "
                             "because a shard is made of whole invocations",
                             shards, most, most == 1 ? "" : "s");
}

std::vector<size_t> places_of(const Part& part, const std::vector<Run>& plan) {
    std::vector<size_t> places;
    for (size_t place = 0; place < plan.size(); ++place) {
        if (part.takes(plan[place])) {
            places.push_back(place);
        }
    }
    return places;
}

}  // namespace ouro::runner
