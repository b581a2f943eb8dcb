// Floats from text and as text.
#include <algorithm>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <new>
#include <string>

#include "core/builtins/number/float.hpp"
#include "core/builtins/number/number_arguments.hpp"

using namespace ouro;
using namespace ouro::number;

namespace {

// The digits of the shortest decimal that reads as the same double, without zeros at the end, and where
// its point is: behind so many of them, or of zeros before or after them. Pre: value is finite.
struct Decimal {
    char digits[32];
    int count;
    int point;
};

Decimal shortest(double value) {
    // d.ddde[+-]xx
    char text[64];
    const char* end =
        std::to_chars(text, text + sizeof text, std::fabs(value), std::chars_format::scientific)
            .ptr;
    Decimal decimal{};
    const char* at = text;
    for (; *at != 'e'; ++at) {
        if (*at != '.') {
            decimal.digits[decimal.count++] = *at;
        }
    }
    ++at;
    if (*at == '+') {
        ++at;  // from_chars takes a minus alone
    }
    int exponent = 0;
    std::from_chars(at, end, exponent);
    decimal.point = exponent + 1;
    return decimal;
}

// With an exponent where the first digit is more than 16 places left of the point or 4 right of it.
void write(std::string& text, const Decimal& decimal) {
    const std::string_view digits(decimal.digits, static_cast<size_t>(decimal.count));
    if (decimal.point > 16 || decimal.point < -3) {
        text += digits[0];
        if (digits.size() > 1) {
            text += '.';
            text += digits.substr(1);
        }
        const int exponent = decimal.point - 1;
        const std::string magnitude = std::to_string(std::abs(exponent));
        text += exponent < 0 ? "e-" : "e+";
        text += magnitude.size() < 2 ? "0" : "";
        text += magnitude;
        return;
    }
    const auto point = static_cast<size_t>(std::max(decimal.point, 0));
    text += point == 0 ? "0" : digits.substr(0, point);
    if (point > digits.size()) {
        text.append(point - digits.size(), '0');
    }
    text += '.';
    if (decimal.point < 0) {
        text.append(static_cast<size_t>(-decimal.point), '0');
    }
    text += point < digits.size() ? digits.substr(point) : "0";
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Takes from the front of `rest` digits, which single underscores may separate. False if there is none.
bool take_digits(std::string_view& rest, std::string& number) {
    size_t i = 0;
    for (; i < rest.size(); ++i) {
        if (is_digit(rest[i])) {
            number += rest[i];
        } else if (rest[i] != '_' || i == 0 || i + 1 >= rest.size() || !is_digit(rest[i - 1]) ||
                   !is_digit(rest[i + 1])) {
            break;
        }
    }
    rest.remove_prefix(i);
    return i > 0;
}

bool take_one(std::string_view& rest, char c, char other) {
    if (rest.empty() || (rest[0] != c && rest[0] != other)) {
        return false;
    }
    rest.remove_prefix(1);
    return true;
}

// Whether `text` is `word`, which is in lower case.
bool is_word(std::string_view text, std::string_view word) {
    return std::ranges::equal(text, word, [](char c, char w) {
        return (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) == w;
    });
}

// strtod that writes a point as '.', whatever the program's locale.
double to_double(const char* number) {
    static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
    return strtod_l(number, nullptr, c_locale);
}

}  // namespace

bool number::read_number(std::string_view rest, double* value) {
    const bool negative = take_one(rest, '-', '-');
    if (!negative) {
        take_one(rest, '+', '+');
    }
    const double sign = negative ? -1.0 : 1.0;
    if (is_word(rest, "inf") || is_word(rest, "infinity")) {
        *value = sign * HUGE_VAL;
        return true;
    }
    if (is_word(rest, "nan")) {
        *value = std::copysign(std::nan(""), sign);
        return true;
    }
    std::string number;
    bool has_digits = take_digits(rest, number);
    if (take_one(rest, '.', '.')) {
        number += '.';
        has_digits = take_digits(rest, number) || has_digits;
    }
    if (!has_digits) {
        return false;
    }
    if (take_one(rest, 'e', 'E')) {
        number += 'e';
        if (take_one(rest, '-', '-')) {
            number += '-';
        } else {
            take_one(rest, '+', '+');
        }
        if (!take_digits(rest, number)) {
            return false;
        }
    }
    if (!rest.empty()) {
        return false;
    }
    *value = sign * to_double(number.c_str());
    return true;
}

PyObject* number::float_repr(PyObject* op) {
    const double value = PyFloat_AS_DOUBLE(op);
    if (std::isnan(value)) {
        return PyUnicode_FromString("nan");
    }
    if (std::isinf(value)) {
        return PyUnicode_FromString(value > 0 ? "inf" : "-inf");
    }
    try {
        std::string text(std::signbit(value) ? "-" : "");
        write(text, shortest(value));
        return PyUnicode_FromString(text.c_str());
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    }
}

PyObject* number::parse_float(std::string_view text, PyObject* source) {
    double value;
    std::string_view rest = text;
    while (!rest.empty() && is_space(rest.front())) {
        rest.remove_prefix(1);
    }
    while (!rest.empty() && is_space(rest.back())) {
        rest.remove_suffix(1);
    }
    try {
        if (read_number(rest, &value)) {
            return PyFloat_FromDouble(value);
        }
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    }
    if (PyObject* representation = shown(source)) {
        if (const char* said = PyUnicode_AsUTF8(representation)) {
            PyErr_Format(PyExc_ValueError, "could not convert string to float: %s", said);
        }
        Py_DECREF(representation);
    }
    return nullptr;
}

PyObject* PyFloat_FromString(PyObject* text) {
    if (PyUnicode_Check(text)) {
        Py_ssize_t size;
        const char* utf8 = PyUnicode_AsUTF8AndSize(text, &size);
        if (utf8 == nullptr) {
            return nullptr;
        }
        try {
            return parse_float(ascii_of({utf8, static_cast<size_t>(size)}), text);
        } catch (const std::bad_alloc&) {
            return PyErr_NoMemory();
        }
    }
    if (PyBytes_Check(text)) {
        return parse_float({PyBytes_AS_STRING(text), static_cast<size_t>(PyBytes_GET_SIZE(text))},
                           text);
    }
    const BufferView view(text);
    if (view.is_valid()) {
        return parse_float(view.text(), text);
    }
    return PyErr_Format(PyExc_TypeError,
                        "float() argument must be a string or a real number, not '%.200s'",
                        Py_TYPE(text)->tp_name);
}
