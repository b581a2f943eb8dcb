// How large a test that scales is, and where its random numbers begin.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace ouro::test {

// OURO_TEST_SCALE, 1 if it is not set. What is no positive number ends the program: a test that
// silently ran at another size would prove something else.
inline double scale() {
    const char* text = std::getenv("OURO_TEST_SCALE");
    if (text == nullptr || *text == '\0') {
        return 1;
    }
    char* end = nullptr;
    const double value = std::strtod(text, &end);
    if (*end != '\0' || !(value > 0)) {
        std::fprintf(stderr, "OURO_TEST_SCALE: '%s' is not a number above 0\n", text);
        std::exit(2);
    }
    return value;
}

// `size` times the scale, but never below `least`.
inline size_t scaled(size_t size, size_t least = 1) {
    return std::max(least, static_cast<size_t>(static_cast<double>(size) * scale()));
}

// OURO_TEST_SEED, or a fixed number; printed, so that a failing run can be repeated.
inline uint64_t seed() {
    const char* text = std::getenv("OURO_TEST_SEED");
    const uint64_t value =
        text == nullptr || *text == '\0' ? 20260101 : std::strtoull(text, nullptr, 10);
    std::printf("OURO_TEST_SEED=%llu\n", static_cast<unsigned long long>(value));
    std::fflush(stdout);
    return value;
}

}  // namespace ouro::test
