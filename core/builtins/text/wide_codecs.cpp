// UTF-16 and UTF-32.
#include <bit>

#include "core/builtins/text/codec_loop.hpp"
#include "core/builtins/text/encodings.hpp"

using namespace ouro;
using text::TextBuffer;
using text::utf8::Fault;

namespace {

constexpr int kMachine = std::endian::native == std::endian::big ? 1 : -1;
constexpr char32_t kMark = 0xFEFF;
constexpr const char* kSurrogates = "surrogates not allowed";

// ---- units of bytes, in an order: -1 the least first, 1 the most ----

template <size_t kBytes>
char32_t unit_at(std::string_view bytes, size_t at, int order) {
    char32_t unit = 0;
    for (size_t i = 0; i < kBytes; ++i) {
        const size_t place = order > 0 ? i : kBytes - 1 - i;
        unit = unit << 8 | static_cast<unsigned char>(bytes[at + place]);
    }
    return unit;
}

template <size_t kBytes>
void append_unit(char32_t unit, int order, TextBuffer* out) {
    char bytes[kBytes];
    for (size_t i = 0; i < kBytes; ++i) {
        bytes[order > 0 ? kBytes - 1 - i : i] = static_cast<char>(unit >> 8 * i);
    }
    out->append(std::string_view(bytes, kBytes));
}

// ---- decoding ----

// The code point at `at`, and how many bytes it takes; or what is wrong, which is true.
bool next_fault16(std::string_view bytes, size_t at, int order, char32_t* c, size_t* size,
                  Fault* fault) {
    const size_t left = bytes.size() - at;
    if (left < 2) {
        *fault = {at, bytes.size(), "truncated data", true};
        return true;
    }
    *c = unit_at<2>(bytes, at, order);
    *size = 2;
    if (!text::utf8::is_surrogate(*c)) {
        return false;
    }
    if (Py_UNICODE_IS_LOW_SURROGATE(*c)) {
        *fault = {at, at + 2, "illegal encoding", false};
        return true;
    }
    if (left < 4) {
        *fault = {at, bytes.size(), "unexpected end of data", true};
        return true;
    }
    const char32_t second = unit_at<2>(bytes, at + 2, order);
    if (!Py_UNICODE_IS_LOW_SURROGATE(second)) {
        *fault = {at, at + 2, "illegal UTF-16 surrogate", false};
        return true;
    }
    *c = Py_UNICODE_JOIN_SURROGATES(*c, second);
    *size = 4;
    return false;
}

bool next_fault32(std::string_view bytes, size_t at, int order, char32_t* c, size_t* size,
                  Fault* fault) {
    if (bytes.size() - at < 4) {
        *fault = {at, bytes.size(), "truncated data", true};
        return true;
    }
    *c = unit_at<4>(bytes, at, order);
    *size = 4;
    if (text::utf8::is_surrogate(*c)) {
        *fault = {at, at + 4, "code point in surrogate code point range(0xd800, 0xe000)", false};
        return true;
    }
    if (*c > text::utf8::kLast) {
        *fault = {at, at + 4, "code point not in range(0x110000)", false};
        return true;
    }
    return false;
}

// What the names of an encoding are, by its order.
template <size_t kBytes>
const char* name_of(int order) {
    if (kBytes == 2) {
        return order == 0 ? "utf-16" : order < 0 ? "utf-16-le" : "utf-16-be";
    }
    return order == 0 ? "utf-32" : order < 0 ? "utf-32-le" : "utf-32-be";
}

template <size_t kBytes>
PyObject* decode_units(const char* data, Py_ssize_t size, const char* errors, int* byteorder,
                       Py_ssize_t* consumed) {
    std::string_view bytes;
    if (!text::take_bytes(data, size, &bytes)) {
        return nullptr;
    }
    int order = byteorder == nullptr ? 0 : *byteorder;
    size_t from = 0;
    for (const int each : {-1, 1}) {
        if (order == 0 && bytes.size() >= kBytes && unit_at<kBytes>(bytes, 0, each) == kMark) {
            order = each;
            from = kBytes;
        }
    }
    if (byteorder != nullptr) {
        *byteorder = order;
    }
    const int used = order == 0 ? kMachine : order;
    const auto find = [&](size_t at, TextBuffer* out, Fault* fault) {
        char32_t c = 0;
        for (size_t count = 0; at < bytes.size(); at += count) {
            if (kBytes == 2 ? next_fault16(bytes, at, used, &c, &count, fault)
                            : next_fault32(bytes, at, used, &c, &count, fault)) {
                return true;
            }
            out->append_code_point(c);
        }
        return false;
    };
    return text::decode_by(name_of<kBytes>(used), bytes, from, errors, consumed, find);
}

template <size_t kBytes>
PyObject* decode_in_order(const char* bytes, Py_ssize_t size, const char* errors, int order) {
    return decode_units<kBytes>(bytes, size, errors, &order, nullptr);
}

// ---- encoding ----

template <size_t kBytes>
struct WideEncoding {
    const char* name;
    int order;
    const char* reason = kSurrogates;
    bool in_runs = false;

    int put(char32_t c, TextBuffer* out) const {
        if (text::utf8::is_surrogate(c)) {
            return 0;
        }
        if (kBytes == 4 || c < 0x10000) {
            append_unit<kBytes>(c, order, out);
        } else {
            append_unit<kBytes>(Py_UNICODE_HIGH_SURROGATE(c), order, out);
            append_unit<kBytes>(Py_UNICODE_LOW_SURROGATE(c), order, out);
        }
        return 1;
    }
    static bool put_bytes(std::string_view bytes, TextBuffer* out) {
        out->append(bytes);
        return bytes.size() % kBytes == 0;
    }
};

template <size_t kBytes>
PyObject* encode_units(PyObject* op, const char* errors, int order) {
    if (!text::require_str_argument(op)) {
        return nullptr;
    }
    const int used = order == 0 ? kMachine : order;
    WideEncoding<kBytes> encoding{name_of<kBytes>(order), used};
    TextBuffer out;
    if (order == 0) {
        append_unit<kBytes>(kMark, used, &out);
    }
    return text::encode_by(encoding, op, errors, out);
}

}  // namespace

#define OURO_WIDE_CODEC(name, bytes, order)                                                \
    PyObject* text::decode_##name(const char* data, Py_ssize_t size, const char* errors) { \
        return decode_in_order<bytes>(data, size, errors, order);                          \
    }                                                                                      \
    PyObject* text::encode_##name(PyObject* op, const char* errors) {                      \
        return encode_units<bytes>(op, errors, order);                                     \
    }
OURO_WIDE_CODEC(utf16, 2, 0)
OURO_WIDE_CODEC(utf16_le, 2, -1)
OURO_WIDE_CODEC(utf16_be, 2, 1)
OURO_WIDE_CODEC(utf32, 4, 0)
OURO_WIDE_CODEC(utf32_le, 4, -1)
OURO_WIDE_CODEC(utf32_be, 4, 1)
#undef OURO_WIDE_CODEC

PyObject* PyUnicode_DecodeUTF16(const char* bytes, Py_ssize_t size, const char* errors,
                                int* byteorder) {
    return decode_units<2>(bytes, size, errors, byteorder, nullptr);
}

PyObject* PyUnicode_DecodeUTF16Stateful(const char* bytes, Py_ssize_t size, const char* errors,
                                        int* byteorder, Py_ssize_t* consumed) {
    return decode_units<2>(bytes, size, errors, byteorder, consumed);
}

PyObject* PyUnicode_DecodeUTF32(const char* bytes, Py_ssize_t size, const char* errors,
                                int* byteorder) {
    return decode_units<4>(bytes, size, errors, byteorder, nullptr);
}

PyObject* PyUnicode_DecodeUTF32Stateful(const char* bytes, Py_ssize_t size, const char* errors,
                                        int* byteorder, Py_ssize_t* consumed) {
    return decode_units<4>(bytes, size, errors, byteorder, consumed);
}

PyObject* PyUnicode_AsUTF16String(PyObject* op) {
    return text::encode_utf16(op, nullptr);
}

PyObject* PyUnicode_AsUTF32String(PyObject* op) {
    return text::encode_utf32(op, nullptr);
}
