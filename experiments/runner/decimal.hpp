// A check of command-line numbers.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>

namespace ouro::runner {

// A decimal number in a range: CLI11 by itself takes 010 for eight and wraps what is too large.
inline CLI::Validator decimal(uint64_t least, uint64_t greatest) {
    const auto check = [=](const std::string& text) {
        uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool whole = end == text.data() + text.size() && (text.size() == 1 || text[0] != '0');
        return error == std::errc() && whole && value >= least && value <= greatest
                   ? std::string()
                   : fmt::format("found '{}'; allowed: a decimal number from {} to {}", text, least,
                                 greatest);
    };
    return {check, fmt::format("{}..{}", least, greatest)};
}

}  // namespace ouro::runner
