// Text in C: formatting, comparing and reading numbers. Source: "String conversion and formatting" in the C API
// documentation.
#include <cerrno>
#include <climits>
#include <clocale>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/include/Python.h"

namespace {

// The C locale, in which a point is a point.
locale_t c_locale() {
    static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
    return locale;
}

int compare(const char* a, const char* b, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        const int difference = Py_TOLOWER(a[i]) - Py_TOLOWER(b[i]);
        if (difference != 0 || a[i] == '\0') {
            return difference;
        }
    }
    return 0;
}

// What follows a prefix that names the base, which is then *base.
const char* after_prefix(const char* text, int* base) {
    if (text[0] != '0') {
        *base = *base == 0 ? 10 : *base;
        return text;
    }
    const int letter = Py_TOLOWER(text[1]);
    const int named = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    if (named == 0 || (*base != 0 && *base != named)) {
        *base = *base == 0 ? 10 : *base;
        return text;
    }
    *base = named;
    return text + 2;
}

}  // namespace

const char* Py_hexdigits = "0123456789abcdef";

int PyOS_vsnprintf(char* text, size_t size, const char* format, va_list arguments) {
    if (size > static_cast<size_t>(INT_MAX)) {
        return -1;
    }
    const int length = std::vsnprintf(text, size, format, arguments);
    if (size > 0) {
        text[size - 1] = '\0';
    }
    return length;
}

int PyOS_snprintf(char* text, size_t size, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = PyOS_vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return length;
}

int PyOS_mystricmp(const char* a, const char* b) {
    return compare(a, b, SIZE_MAX);
}

int PyOS_mystrnicmp(const char* a, const char* b, Py_ssize_t size) {
    return compare(a, b, static_cast<size_t>(size));
}

unsigned long PyOS_strtoul(const char* text, char** end, int base) {
    const char* begin = text;
    while (Py_ISSPACE(*begin)) {
        ++begin;
    }
    const char* digits = after_prefix(begin, &base);
    if (*digits == '-' || *digits == '+' || Py_ISSPACE(*digits)) {  // strtoul would take a sign
        if (end != nullptr) {
            *end = const_cast<char*>(text);
        }
        return 0;
    }
    return std::strtoul(digits, end, base);
}

long PyOS_strtol(const char* text, char** end, int base) {
    while (Py_ISSPACE(*text)) {
        ++text;
    }
    const char sign = *text;
    if (sign == '+' || sign == '-') {
        ++text;
    }
    const unsigned long value = PyOS_strtoul(text, end, base);
    const unsigned long most = static_cast<unsigned long>(LONG_MAX) + (sign == '-' ? 1 : 0);
    if (value > most) {
        errno = ERANGE;
        return sign == '-' ? LONG_MIN : LONG_MAX;
    }
    return static_cast<long>(sign == '-' ? -value : value);
}

double PyOS_string_to_double(const char* text, char** end, PyObject* overflow) {
    const char* digits = *text == '+' || *text == '-' ? text + 1 : text;
    char* last = const_cast<char*>(text);
    double value = 0;
    const bool is_word = Py_ISALPHA(*digits);
    const bool is_hex = digits[0] == '0' && Py_TOLOWER(digits[1]) == 'x';
    if (is_hex) {
        last = const_cast<char*>(digits + 1);
        value = *text == '-' ? -0.0 : 0.0;
    } else if (Py_ISDIGIT(*digits) || *digits == '.' ||
               (is_word && (PyOS_mystrnicmp(digits, "inf", 3) == 0 ||
                            PyOS_mystrnicmp(digits, "nan", 3) == 0))) {
        value = strtod_l(text, &last, c_locale());
        if (is_word && Py_TOLOWER(*digits) == 'n') {
            last =
                const_cast<char*>(digits + 3);  // without what the C library reads in parentheses
        }
    }
    if (last == text || (end == nullptr && *last != '\0')) {
        PyErr_Format(PyExc_ValueError, "could not convert string to float: '%.200s'", text);
        return -1.0;
    }
    if (end != nullptr) {
        *end = last;
    }
    if (std::isinf(value) && !is_word && overflow != nullptr) {
        PyErr_Format(overflow, "value too large to convert to float: '%.200s'", text);
        return -1.0;
    }
    return value;
}
