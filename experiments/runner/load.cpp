#include "experiments/runner/load.hpp"

#include <charconv>

namespace ouro::runner {
namespace {

// From 1 to `greatest`, in digits alone.
std::optional<uint64_t> number(std::string_view text, uint64_t greatest) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size() && text[0] != '0';
    return whole && value <= greatest ? std::optional(value) : std::nullopt;
}

std::optional<Load> one_load(std::string_view text) {
    if (text == kSaturated) {
        return Load{};
    }
    if (text.ends_with("/s")) {
        const auto rate = number(text.substr(0, text.size() - 2), 1'000'000'000);
        return rate ? std::optional(Load{.rate = *rate}) : std::nullopt;
    }
    const auto percent = number(text, 1000);
    return percent ? std::optional(Load{.percent = static_cast<unsigned>(*percent)}) : std::nullopt;
}

}  // namespace

std::optional<std::vector<Load>> parse_load(std::string_view text) {
    const size_t comma = text.find(',');
    const auto first = one_load(text.substr(0, comma));
    if (comma == std::string_view::npos) {
        return first ? std::optional(std::vector{*first}) : std::nullopt;
    }
    const auto second = one_load(text.substr(comma + 1));
    return first && second ? std::optional(std::vector{*first, *second}) : std::nullopt;
}

}  // namespace ouro::runner
