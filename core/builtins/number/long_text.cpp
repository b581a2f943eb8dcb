// Ints from text and as text.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <climits>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/builtins/number/big_int.hpp"
#include "core/builtins/number/number_arguments.hpp"

using namespace ouro;
using namespace ouro::number;

namespace {

// More decimal digits than these CPython neither reads nor writes, unless told: it takes too long.
constexpr int kMostDigits = 4300;

constexpr int kNoDigit = 99;
int digit_value(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'z' ? c - 'a' + 10
           : c >= 'A' && c <= 'Z' ? c - 'A' + 10
                                  : kNoDigit;
}

// How many bits a digit is; 0 where that is not a whole number.
unsigned bits_of_base(int base) {
    return std::has_single_bit(static_cast<unsigned>(base))
               ? static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(base)))
               : 0;
}

// The base that the letter after a zero stands for, else 0.
int base_of_prefix(char letter) {
    switch (letter) {
        case 'x':
        case 'X':
            return 16;
        case 'o':
        case 'O':
            return 8;
        case 'b':
        case 'B':
            return 2;
        default:
            return 0;
    }
}

// What came of reading an int.
struct Reading {
    PyObject* value = nullptr;      // new reference
    bool is_wrong_literal = false;  // else, without a value, an exception is set
    size_t end = 0;  // where reading ended; known if there is a value or the literal is wrong
    int base = 0;    // as a message says it
};

// The value of digits, perhaps with underscores, all of them below `base`.
PyObject* value_of_digits(std::string_view digits, size_t count, int base, bool negative) {
    // Where it fits: what most are.
    const auto radix = static_cast<unsigned long>(base);
    unsigned long magnitude = 0;
    bool fits = true;
    for (const char c : digits) {
        if (c != '_') {
            fits = fits && !__builtin_mul_overflow(magnitude, radix, &magnitude) &&
                   !__builtin_add_overflow(magnitude, static_cast<unsigned long>(digit_value(c)),
                                           &magnitude);
        }
    }
    if (fits && magnitude <= LONG_MAX) {
        return PyLong_FromLong(negative ? -static_cast<long>(magnitude)
                                        : static_cast<long>(magnitude));
    }
    return guarded([&] {
        BigInt value;
        if (const unsigned bits = bits_of_base(base)) {
            require_bits(count * bits);
            std::vector<unsigned char> values;
            values.reserve(count);
            for (const char c : digits) {
                if (c != '_') {
                    values.push_back(static_cast<unsigned char>(digit_value(c)));
                }
            }
            import_bits(value, values.begin(), values.end(), bits);
        } else {
            // As many digits at a time as a word holds.
            unsigned long chunk = 0;
            unsigned long scale = 1;
            for (const char c : digits) {
                if (c == '_') {
                    continue;
                }
                if (scale > ULONG_MAX / radix) {
                    value = value * scale + chunk;
                    chunk = 0;
                    scale = 1;
                }
                chunk = chunk * radix + static_cast<unsigned long>(digit_value(c));
                scale *= radix;
            }
            value = value * scale + chunk;
        }
        return new_int(negative ? BigInt(-value) : std::move(value));
    });
}

// Pre: base is 0 or 2 to 36.
Reading read_int(std::string_view text, int base) {
    size_t at = 0;
    const auto peek = [&](size_t ahead = 0) {
        return at + ahead < text.size() ? text[at + ahead] : '\0';
    };
    const auto skip_space = [&] {
        while (is_space(peek())) {
            ++at;
        }
    };
    skip_space();
    const bool negative = peek() == '-';
    if (negative || peek() == '+') {
        ++at;
    }
    const int prefix = peek() == '0' ? base_of_prefix(peek(1)) : 0;
    // A literal without a prefix that begins with a zero may only be zero.
    const bool only_zero = base == 0 && prefix == 0 && peek() == '0';
    if (base == 0) {
        base = prefix != 0 ? prefix : 10;
    }
    Reading reading;
    reading.base = only_zero ? 0 : base;
    const auto wrong_at = [&](size_t end) {
        reading.is_wrong_literal = true;
        reading.end = end;
        return reading;
    };
    if (prefix != 0 && prefix == base) {
        at += 2;
        if (peek() == '_') {
            ++at;
        }
    }
    const size_t first = at;
    size_t count = 0;
    bool is_zero = true;
    for (char previous = '_'; peek() == '_' || digit_value(peek()) < base;
         previous = peek(), ++at) {
        if (peek() != '_') {
            ++count;
            is_zero = is_zero && peek() == '0';
        } else if (previous == '_') {
            return wrong_at(at == first ? at : at - 1);
        }
    }
    if (at == first) {
        return wrong_at(at);
    }
    if (text[at - 1] == '_') {
        return wrong_at(at - 1);
    }
    if (bits_of_base(base) == 0 && count > kMostDigits) {
        PyErr_Format(PyExc_ValueError,
                     "Exceeds the limit (%d digits) for integer string conversion: value has %zd "
                     "digits; use sys.set_int_max_str_digits() to increase the limit",
                     kMostDigits, static_cast<Py_ssize_t>(count));
        return reading;
    }
    const std::string_view digits = text.substr(first, at - first);
    if (only_zero && !is_zero) {
        return wrong_at(at);
    }
    skip_space();
    if (at != text.size()) {
        return wrong_at(at);
    }
    reading.value = value_of_digits(digits, count, base, negative);
    reading.end = at;
    return reading;
}

// Raises what is said of a text that is no int; returns nullptr.
PyObject* refuse_literal(int base, PyObject* source) {
    if (PyObject* representation = shown(source)) {
        if (const char* text = PyUnicode_AsUTF8(representation)) {
            PyErr_Format(PyExc_ValueError, "invalid literal for int() with base %d: %.200s", base,
                         text);
        }
        Py_DECREF(representation);
    }
    return nullptr;
}

// The digits of a magnitude where each is `bits` bits, the highest first. Its limbs, the lowest first, are
// what limb_at gives.
template <class LimbAt>
void append_digits(std::string& text, uint64_t length, unsigned bits, LimbAt limb_at) {
    const uint64_t count = std::max<uint64_t>((length + bits - 1) / bits, 1);
    for (uint64_t i = count; i-- > 0;) {
        unsigned digit = 0;
        for (unsigned k = bits; k-- > 0;) {
            const uint64_t bit = i * bits + k;
            digit = digit << 1 |
                    (bit < length ? static_cast<unsigned>(limb_at(bit / 64) >> (bit % 64)) & 1 : 0);
        }
        text += "0123456789abcdef"[digit];
    }
}

// False, with ValueError, where there are too many of them.
bool append_decimal(std::string& text, PyObject* op) {
    const size_t before = text.size();
    if (is_small(op)) {
        // As a negative number, of which there is one more.
        const long value = small_value(op) < 0 ? small_value(op) : -small_value(op);
        std::array<char, 24> digits;
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
        text.append(digits.data() + (value != 0 ? 1 : 0), end.ptr);
    } else {
        const BigInt& value = as_long(op)->ob_big->value;
        // 3 bits are less than a digit: what is certainly too long need not be written first.
        if (bit_length(value) / 4 <= kMostDigits) {
            text += BigInt(abs(value)).str();
        }
    }
    const size_t count = text.size() - before;
    if (count == 0 || count > kMostDigits) {
        PyErr_Format(PyExc_ValueError,
                     "Exceeds the limit (%d digits) for integer string conversion; use "
                     "sys.set_int_max_str_digits() to increase the limit",
                     kMostDigits);
        return false;
    }
    return true;
}

}  // namespace

PyObject* number::format_int(PyObject* op, int base, bool prefix) {
    return guarded([&]() -> PyObject* {
        std::string text;
        if (sign_of(op) < 0) {
            text += '-';
        }
        if (prefix) {
            text += base == 16 ? "0x" : base == 8 ? "0o" : base == 2 ? "0b" : "";
        }
        if (base == 10) {
            if (!append_decimal(text, op)) {
                return nullptr;
            }
        } else {
            const Wide value(op);
            append_digits(text, bit_length(*value), bits_of_base(base),
                          [&](uint64_t i) { return limb(*value, i); });
        }
        return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
    });
}

PyObject* number::parse_int(std::string_view text, int base, PyObject* source) {
    const Reading reading = read_int(text, base);
    return reading.is_wrong_literal ? refuse_literal(base, source) : reading.value;
}

PyObject* PyLong_FromString(const char* text, char** end, int base) {
    if ((base != 0 && base < 2) || base > 36) {
        PyErr_SetString(PyExc_ValueError, "int() arg 2 must be >= 2 and <= 36");
        return nullptr;
    }
    const size_t size = std::strlen(text);
    const Reading reading = read_int({text, size}, base);
    if (end != nullptr && (reading.value != nullptr || reading.is_wrong_literal)) {
        *end = const_cast<char*>(text) + reading.end;
    }
    if (!reading.is_wrong_literal) {
        return reading.value;
    }
    if (PyObject* source = PyUnicode_FromStringAndSize(
            text, static_cast<Py_ssize_t>(std::min<size_t>(size, 200)))) {
        refuse_literal(reading.base, source);
        Py_DECREF(source);
    }
    return nullptr;
}

PyObject* PyLong_FromUnicodeObject(PyObject* text, int base) {
    Py_ssize_t size;
    const char* utf8 = PyUnicode_AsUTF8AndSize(text, &size);
    if (utf8 == nullptr) {
        return nullptr;
    }
    if ((base != 0 && base < 2) || base > 36) {
        PyErr_SetString(PyExc_ValueError, "int() arg 2 must be >= 2 and <= 36");
        return nullptr;
    }
    return guarded([&] {
        return parse_int(ascii_of({utf8, static_cast<size_t>(size)}), base, text);
    });
}
