// Decimal digits and space outside ASCII, for what reads numbers from text.
#include <algorithm>
#include <array>
#include <cstdint>

#include "core/builtins/number/number_arguments.hpp"

namespace ouro::number {
namespace {

// The zero of each run of ten digits (Unicode's general category Nd), in order.
constexpr auto kZeros = std::to_array<uint32_t>(
    {0x660,   0x6F0,   0x7C0,   0x966,   0x9E6,   0xA66,   0xAE6,   0xB66,   0xBE6,   0xC66,
     0xCE6,   0xD66,   0xDE6,   0xE50,   0xED0,   0xF20,   0x1040,  0x1090,  0x17E0,  0x1810,
     0x1946,  0x19D0,  0x1A80,  0x1A90,  0x1B50,  0x1BB0,  0x1C40,  0x1C50,  0xA620,  0xA8D0,
     0xA900,  0xA9D0,  0xA9F0,  0xAA50,  0xABF0,  0xFF10,  0x104A0, 0x10D30, 0x11066, 0x110F0,
     0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730, 0x118E0, 0x11950,
     0x11C50, 0x11D50, 0x11DA0, 0x11F50, 0x16A60, 0x16AC0, 0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2,
     0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E950, 0x1FBF0});
static_assert(std::ranges::is_sorted(kZeros));

bool is_wide_space(uint32_t point) {
    return point == 0x85 || point == 0xA0 || point == 0x1680 ||
           (point >= 0x2000 && point <= 0x200A) || point == 0x2028 || point == 0x2029 ||
           point == 0x202F || point == 0x205F || point == 0x3000;
}

char ascii_of_point(uint32_t point) {
    if (is_wide_space(point)) {
        return ' ';
    }
    const auto* next = std::ranges::upper_bound(kZeros, point);
    if (next == kZeros.begin() || point - next[-1] > 9) {
        return '?';
    }
    return static_cast<char>('0' + (point - next[-1]));
}

}  // namespace

std::string ascii_of(std::string_view utf8) {
    std::string ascii;
    for (size_t i = 0; i < utf8.size();) {
        const auto lead = static_cast<unsigned char>(utf8[i]);
        const size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        if (size == 1) {
            ascii += utf8[i];
        } else {
            uint32_t point = lead & (0x7Fu >> size);
            for (size_t k = 1; k < size && i + k < utf8.size(); ++k) {
                point = point << 6 | (static_cast<unsigned char>(utf8[i + k]) & 0x3F);
            }
            ascii += ascii_of_point(point);
        }
        i += size;
    }
    return ascii;
}

}  // namespace ouro::number
