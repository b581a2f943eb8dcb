// What the byte of an object says, stage by stage of a collection (address_table.hpp).
//
// While references are counted it is the object's difference (core/collector/reference_counter.hpp). From then on:
#pragma once

#include <cstdint>

namespace ouro::bridge {

enum Mark : int8_t {
    // Not reached, and not looked at since: an old object that nothing outside refers to, or anything else.
    kNotReached = 0,
    // As is anything else above kLastWhite: reached, a root, or not ours to ask.
    kReached = 1,
    // Old and not reached: candidates. No difference that is left after counting is one of these (MarkPass::settle).
    kWhite = -128,
    kVisiting = -127,  // in the closure that is being formed
    kRefused = -126,   // in one that something outside refers to
    kLarge = -125,     // in one that is too large
};
inline constexpr int8_t kLastWhite = kLarge;

inline bool is_white(int8_t mark) {
    return mark <= kLastWhite;
}

}  // namespace ouro::bridge
