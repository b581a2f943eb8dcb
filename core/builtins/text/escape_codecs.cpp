// The escapes of literals as encodings: unicode_escape and raw_unicode_escape; and those of bytes.
#include <algorithm>

#include "core/builtins/text/bytes.hpp"
#include "core/builtins/text/codec_loop.hpp"
#include "core/builtins/text/encodings.hpp"

using namespace ouro;
using text::TextBuffer;
using text::utf8::Fault;

namespace {

// What a letter behind a backslash means, where that is one character; 0: it means none.
char escaped_by(char letter) {
    constexpr std::string_view kLetters = "\\'\"bfnrtva";
    constexpr std::string_view kMeanings = "\\'\"\b\f\n\r\t\v\a";
    const size_t place = kLetters.find(letter);
    return place == std::string_view::npos ? '\0' : kMeanings[place];
}

// Up to three octal digits from *at on, which moves behind them.
char32_t take_octal(std::string_view bytes, size_t* at) {
    char32_t value = 0;
    for (int i = 0; i < 3 && *at < bytes.size() && bytes[*at] >= '0' && bytes[*at] <= '7'; ++i) {
        value = value * 8 + static_cast<char32_t>(bytes[(*at)++] - '0');
    }
    return value;
}

// A text with escapes, read from the beginning of one of them.
struct EscapeReader {
    std::string_view bytes;
    bool raw;

    // `digits` hexadecimal digits from *at on; false with a fault that begins at `start`.
    bool take_hex(size_t start, size_t* at, size_t digits, TextBuffer* out, Fault* fault) const {
        char32_t value = 0;
        for (size_t i = 0; i < digits; ++i) {
            const int digit = *at < bytes.size() ? text::hex_value(bytes[*at]) : -1;
            if (digit < 0) {
                *fault = {start, *at,
                          digits == 2   ? "truncated \\xXX escape"
                          : digits == 4 ? "truncated \\uXXXX escape"
                                        : "truncated \\UXXXXXXXX escape",
                          false};
                return false;
            }
            value = value << 4 | static_cast<char32_t>(digit);
            ++*at;
        }
        if (value > text::utf8::kLast) {
            *fault = {start, *at, raw ? "\\Uxxxxxxxx out of range" : "illegal Unicode character",
                      false};
            return false;
        }
        out->append_code_point(value);
        return true;
    }

    // What is wrong with \N, behind which `at` is: that there are no names.
    Fault name_fault(size_t start, size_t at) const {
        constexpr const char* kMalformed = "malformed \\N character escape";
        if (at == bytes.size() || bytes[at] != '{') {
            return {start, at, kMalformed, false};
        }
        const size_t end = std::min(bytes.find('}', at), bytes.size());
        return end == bytes.size() || end == at + 1
                   ? Fault{start, end, kMalformed, false}
                   : Fault{start, end + 1, "unknown Unicode character name", false};
    }

    // The escape whose backslash is at `start`; *at is behind it. False with a fault.
    bool take_escape(size_t start, size_t* at, TextBuffer* out, Fault* fault) const {
        const char letter = bytes[(*at)++];
        if (letter == 'u' || letter == 'U') {
            return take_hex(start, at, letter == 'u' ? 4 : 8, out, fault);
        }
        if (raw) {
            out->append('\\');
            out->append_code_point(static_cast<unsigned char>(letter));
            return true;
        }
        if (letter == 'x') {
            return take_hex(start, at, 2, out, fault);
        }
        if (letter == 'N') {
            *fault = name_fault(start, *at);
            return false;
        }
        if (letter >= '0' && letter <= '7') {
            --*at;
            out->append_code_point(take_octal(bytes, at));
        } else if (const char meaning = escaped_by(letter); meaning != '\0') {
            out->append(meaning);
        } else if (letter != '\n') {
            out->append('\\');
            out->append_code_point(static_cast<unsigned char>(letter));
        }
        return true;
    }

    bool operator()(size_t from, TextBuffer* out, Fault* fault) const {
        for (size_t at = from; at < bytes.size();) {
            const size_t start = at;
            const char c = bytes[at++];
            if (c != '\\' || (raw && at == bytes.size())) {
                out->append_code_point(static_cast<unsigned char>(c));
            } else if (at == bytes.size()) {
                *fault = {start, at, "\\ at end of string", true};
                return true;
            } else if (!take_escape(start, &at, out, fault)) {
                return true;
            }
        }
        return false;
    }
};

PyObject* decode_escapes(const char* data, Py_ssize_t size, const char* errors, bool raw) {
    std::string_view bytes;
    return text::take_bytes(data, size, &bytes)
               ? text::decode_by(raw ? "rawunicodeescape" : "unicodeescape", bytes, 0, errors,
                                 nullptr, EscapeReader{bytes, raw})
               : nullptr;
}

void append_escape_of(char32_t c, bool raw, TextBuffer* out) {
    if (raw) {
        if (c < 0x100) {
            out->append(static_cast<char>(c));
        } else {
            out->append_escape(c);
        }
    } else if (c == '\t' || c == '\n' || c == '\r' || c == '\\') {
        out->append('\\');
        out->append(c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : '\\');
    } else if (c >= 0x20 && c < 0x7F) {
        out->append(static_cast<char>(c));
    } else {
        out->append_escape(c);
    }
}

PyObject* encode_escapes(PyObject* op, bool raw) {
    if (!text::require_str_argument(op)) {
        return nullptr;
    }
    TextBuffer out;
    const std::string_view all = text::text_in(op);
    for (const char* p = all.data(); p < all.data() + all.size();) {
        append_escape_of(text::utf8::next(&p), raw, &out);
    }
    return out.to_bytes();
}

// What stands for \x without two digits, which ended at *at. False with ValueError.
bool mend_hex(std::string_view all, size_t start, size_t* at, const char* errors, TextBuffer* out) {
    const std::string_view handler = errors == nullptr ? "strict" : errors;
    if (handler == "strict") {
        PyErr_Format(PyExc_ValueError, "invalid \\x escape at position %zd",
                     static_cast<Py_ssize_t>(start));
        return false;
    }
    if (handler == "replace") {
        out->append('?');
    } else if (handler != "ignore") {
        PyErr_Format(PyExc_ValueError, "decoding error; unknown error handling code: %.400s",
                     errors);
        return false;
    }
    if (*at < all.size() && text::hex_value(all[*at]) >= 0) {
        ++*at;
    }
    return true;
}

}  // namespace

PyObject* text::encode_unicode_escape(PyObject* op, const char*) {
    return encode_escapes(op, false);
}

PyObject* text::encode_raw_unicode_escape(PyObject* op, const char*) {
    return encode_escapes(op, true);
}

PyObject* PyUnicode_DecodeUnicodeEscape(const char* bytes, Py_ssize_t size, const char* errors) {
    return decode_escapes(bytes, size, errors, false);
}

PyObject* PyUnicode_DecodeRawUnicodeEscape(const char* bytes, Py_ssize_t size, const char* errors) {
    return decode_escapes(bytes, size, errors, true);
}

PyObject* PyUnicode_AsUnicodeEscapeString(PyObject* op) {
    return encode_escapes(op, false);
}

PyObject* PyUnicode_AsRawUnicodeEscapeString(PyObject* op) {
    return encode_escapes(op, true);
}

PyObject* PyBytes_DecodeEscape(const char* data, Py_ssize_t size, const char* errors, Py_ssize_t,
                               const char*) {
    std::string_view all;
    if (!text::take_bytes(data, size, &all)) {
        return nullptr;
    }
    TextBuffer out;
    for (size_t at = 0; at < all.size();) {
        const size_t start = at;
        const char c = all[at++];
        if (c != '\\') {
            out.append(c);
            continue;
        }
        if (at == all.size()) {
            PyErr_SetString(PyExc_ValueError, "Trailing \\ in string");
            return nullptr;
        }
        const char letter = all[at++];
        if (letter == 'x') {
            const int high = at < all.size() ? text::hex_value(all[at]) : -1;
            const int low = high >= 0 && at + 1 < all.size() ? text::hex_value(all[at + 1]) : -1;
            if (low >= 0) {
                out.append(static_cast<char>(high << 4 | low));
                at += 2;
            } else if (!mend_hex(all, start, &at, errors, &out)) {
                return nullptr;
            }
        } else if (letter >= '0' && letter <= '7') {
            --at;
            out.append(static_cast<char>(take_octal(all, &at)));
        } else if (const char meaning = escaped_by(letter); meaning != '\0') {
            out.append(meaning);
        } else if (letter != '\n') {
            out.append('\\');
            out.append(letter);
        }
    }
    return out.to_bytes();
}
