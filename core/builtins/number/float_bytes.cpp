// Floats as bytes of IEEE 754. Source: "Pack and Unpack functions" in the C API documentation.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/include/Python.h"

namespace {

template <class Bits>
void store(Bits bits, char* to, int little) {
    std::memcpy(to, &bits, sizeof bits);
    if ((little != 0) != (PY_LITTLE_ENDIAN != 0)) {
        std::reverse(to, to + sizeof bits);
    }
}

template <class Bits>
Bits load(const char* from, int little) {
    char bytes[sizeof(Bits)];
    std::copy_n(from, sizeof bytes, bytes);
    if ((little != 0) != (PY_LITTLE_ENDIAN != 0)) {
        std::reverse(bytes, bytes + sizeof bytes);
    }
    Bits bits;
    std::memcpy(&bits, bytes, sizeof bits);
    return bits;
}

int refuse(char letter) {
    PyErr_Format(PyExc_OverflowError, "float too large to pack with %c format", letter);
    return -1;
}

constexpr double kGreatestHalf = 65504;
constexpr int kHalfBits = 10;        // of the fraction
constexpr int kLeastExponent = -14;  // of a normal half

}  // namespace

int PyFloat_Pack8(double value, char* bytes, int little) {
    store(std::bit_cast<uint64_t>(value), bytes, little);
    return 0;
}

double PyFloat_Unpack8(const char* bytes, int little) {
    return std::bit_cast<double>(load<uint64_t>(bytes, little));
}

int PyFloat_Pack4(double value, char* bytes, int little) {
    const auto narrow = static_cast<float>(value);
    if (std::isinf(narrow) && !std::isinf(value)) {
        return refuse('f');
    }
    store(std::bit_cast<uint32_t>(narrow), bytes, little);
    return 0;
}

double PyFloat_Unpack4(const char* bytes, int little) {
    return static_cast<double>(std::bit_cast<float>(load<uint32_t>(bytes, little)));
}

int PyFloat_Pack2(double value, char* bytes, int little) {
    const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const double size = std::fabs(value);
    uint16_t bits;
    if (std::isnan(value)) {
        bits = 0x7E00;
    } else if (std::isinf(value)) {
        bits = 0x7C00;
    } else {
        // In units of the last place, rounded to the nearest, of two the even one; a carry is the next exponent.
        const int exponent =
            size == 0 ? kLeastExponent : std::max(std::ilogb(size), kLeastExponent);
        const double units = std::nearbyint(std::ldexp(size, kHalfBits - exponent));
        if (std::ldexp(units, exponent - kHalfBits) > kGreatestHalf) {
            return refuse('e');
        }
        bits = static_cast<uint16_t>(static_cast<int>(units) +
                                     (exponent - kLeastExponent) * (1 << kHalfBits));
    }
    store(static_cast<uint16_t>(bits | sign), bytes, little);
    return 0;
}

double PyFloat_Unpack2(const char* bytes, int little) {
    const auto bits = load<uint16_t>(bytes, little);
    const int exponent = bits >> kHalfBits & 0x1F;
    const int fraction = bits & 0x3FF;
    double size;
    if (exponent == 0x1F) {
        size = fraction == 0 ? Py_INFINITY : Py_NAN;
    } else if (exponent == 0) {
        size = std::ldexp(fraction, kLeastExponent - kHalfBits);
    } else {
        size = std::ldexp(fraction + (1 << kHalfBits), exponent - 1 + kLeastExponent - kHalfBits);
    }
    return (bits & 0x8000) != 0 ? -size : size;
}
