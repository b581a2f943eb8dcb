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

}  // namespace

std::optional<Load> parse_load(std::string_view text) {
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

}  // namespace ouro::runner
