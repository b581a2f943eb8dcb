#include "core/builtins/text/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace ouro::text::utf8 {
namespace {

// How many bytes from `from` on are ASCII; a few less than all of them, at times.
size_t skip_ascii(std::string_view bytes, size_t from) {
    constexpr uint64_t kHighBits = 0x8080808080808080;
    size_t i = from;
    for (; bytes.size() - i >= sizeof(uint64_t); i += sizeof(uint64_t)) {
        uint64_t word;
        std::memcpy(&word, bytes.data() + i, sizeof word);
        if ((word & kHighBits) != 0) {
            break;
        }
    }
    return i;
}

// What may follow a first byte.
struct Form {
    size_t length;            // of the sequence; 0: none begins so
    unsigned char low, high;  // bounds of its second byte
};

Form form_of(unsigned char lead) {
    if (lead < 0xC2 || lead > 0xF4) {
        return {0, 0, 0};
    }
    if (lead < 0xE0) {
        return {2, 0x80, 0xBF};
    }
    // Neither what fits a shorter form, nor surrogates, nor more than 0x10FFFF.
    if (lead < 0xF0) {
        return {3, static_cast<unsigned char>(lead == 0xE0 ? 0xA0 : 0x80),
                static_cast<unsigned char>(lead == 0xED ? 0x9F : 0xBF)};
    }
    return {4, static_cast<unsigned char>(lead == 0xF0 ? 0x90 : 0x80),
            static_cast<unsigned char>(lead == 0xF4 ? 0x8F : 0xBF)};
}

}  // namespace

size_t put(char32_t c, char* to) {
    const auto tail = [c](unsigned shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
    if (c < 0x80) {
        to[0] = static_cast<char>(c);
        return 1;
    }
    if (c < 0x800) {
        to[0] = static_cast<char>(0xC0 | c >> 6);
        to[1] = tail(0);
        return 2;
    }
    if (c < 0x10000) {
        to[0] = static_cast<char>(0xE0 | c >> 12);
        to[1] = tail(6);
        to[2] = tail(0);
        return 3;
    }
    to[0] = static_cast<char>(0xF0 | c >> 18);
    to[1] = tail(12);
    to[2] = tail(6);
    to[3] = tail(0);
    return 4;
}

Measure measure(std::string_view text) {
    Measure found{text.size(), false};
    for (size_t i = skip_ascii(text, 0); i < text.size(); ++i) {
        if (is_continuation(text[i])) {
            --found.length;
            const auto lead = static_cast<unsigned char>(text[i - 1]);
            found.has_surrogates |= lead == 0xED && static_cast<unsigned char>(text[i]) >= 0xA0;
        }
    }
    return found;
}

size_t count(std::string_view text) {
    return measure(text).length;
}

size_t offset_of(std::string_view text, size_t index) {
    size_t i = 0;
    for (; index > 0 && i < text.size(); --index) {
        i += length_of(text[i]);
    }
    return i;
}

bool find_fault(std::string_view bytes, size_t from, Fault* fault) {
    const auto byte = [bytes](size_t i) { return static_cast<unsigned char>(bytes[i]); };
    size_t i = from;
    while ((i = skip_ascii(bytes, i)) < bytes.size()) {
        if (byte(i) < 0x80) {
            ++i;
            continue;
        }
        Form form = form_of(byte(i));
        if (form.length == 0) {
            *fault = {i, i + 1, "invalid start byte", false};
            return true;
        }
        size_t end = i + 1;
        while (end < bytes.size() && end < i + form.length && byte(end) >= form.low &&
               byte(end) <= form.high) {
            ++end;
            form.low = 0x80;
            form.high = 0xBF;
        }
        if (end < i + form.length) {
            const bool cut_off = end == bytes.size();
            *fault = {i, end, cut_off ? "unexpected end of data" : "invalid continuation byte",
                      cut_off};
            return true;
        }
        i = end;
    }
    return false;
}

}  // namespace ouro::text::utf8
