// UTF-8: one code point at a time, and whole texts. "Text" is valid UTF-8 in which lone surrogates
// are allowed, as str keeps it; "bytes" may be anything.
#pragma once

#include <cstddef>
#include <string_view>

namespace ouro::text::utf8 {

inline constexpr char32_t kLast = 0x10FFFF;
inline constexpr size_t kMostBytes = 4;

inline bool is_continuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}
inline bool is_surrogate(char32_t c) {
    return c >= 0xD800 && c <= 0xDFFF;
}

// The number of bytes of the code point that begins with `lead`.
inline size_t length_of(char lead) {
    const auto byte = static_cast<unsigned char>(lead);
    return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// The code point at *p; *p moves behind it. Pre: one begins there.
inline char32_t next(const char** p) {
    const auto byte = [p] { return static_cast<unsigned char>(*(*p)++); };
    const char32_t lead = byte();
    if (lead < 0x80) {
        return lead;
    }
    const size_t length = length_of(static_cast<char>(lead));
    char32_t c = lead & (0x7FU >> length);
    for (size_t i = 1; i < length; ++i) {
        c = c << 6 | (byte() & 0x3FU);
    }
    return c;
}

// Writes c, which may be a surrogate, and returns the number of its bytes. Pre: room for
// kMostBytes.
size_t put(char32_t c, char* to);

struct Measure {
    size_t length;  // code points
    bool has_surrogates;
};
Measure measure(std::string_view text);

// The number of code points.
size_t count(std::string_view text);
// The place of code point `index` in bytes; the text's size if it has no more than that.
size_t offset_of(std::string_view text, size_t index);

// Where and why bytes are not UTF-8: the longest beginning of a sequence that there is, or one
// byte.
struct Fault {
    size_t start, end;
    const char* reason;  // in CPython's words
    bool cut_off;        // more bytes might make it good
};

// Looks at the bytes from `from` on; false if they are UTF-8, without surrogates.
bool find_fault(std::string_view bytes, size_t from, Fault* fault);

}  // namespace ouro::text::utf8
