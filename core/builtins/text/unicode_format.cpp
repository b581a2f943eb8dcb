// PyUnicode_FromFormat. Source: "Unicode Objects and Codecs" in the C API documentation.
#include <algorithm>
#include <charconv>
#include <cstdarg>
#include <cstdint>
#include <cstring>
#include <cwchar>
#include <iterator>
#include <string_view>

#include "core/builtins/text/text_buffer.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/builtins/type/names.hpp"

using namespace ouro;
using text::text_in;
using text::TextBuffer;

namespace {

// One conversion: %[flags][width][.precision][size]letter.
struct Spec {
    bool left = false;
    bool zero = false;
    Py_ssize_t width = -1;      // -1: none
    Py_ssize_t precision = -1;  // -1: none; -2: a negative argument
    char size = '\0';           // l, q (ll), z, t, j, or none
    char letter = '\0';
};

// So that the arguments that are left can be handed on by reference.
struct Arguments {
    std::va_list list;
};

class Formatter {
public:
    // False with an exception.
    bool run(const char* format, Arguments* arguments);
    PyObject* take() const { return out_.to_str(); }

private:
    bool convert(const char** format, Arguments* arguments);
    bool convert_object(const Spec& spec, Arguments* arguments);
    bool append_c_text(const Spec& spec, const char* text);
    bool append_wide_text(const Spec& spec, const wchar_t* text);
    bool append_object(const Spec& spec, PyObject* text, bool cut);
    bool append_owned(const Spec& spec, PyObject* text, bool cut);
    void append_padded(const Spec& spec, std::string_view text, Py_ssize_t length);
    void append_integer(Spec spec, Arguments* arguments);

    TextBuffer out_;
};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Digits at *f, which moves behind them. False with ValueError.
bool read_number(const char** f, const char* error, Py_ssize_t* number) {
    *number = 0;
    for (; is_digit(**f); ++*f) {
        const int digit = **f - '0';
        if (*number > (PY_SSIZE_T_MAX - digit) / 10) {
            PyErr_SetString(PyExc_ValueError, error);
            return false;
        }
        *number = *number * 10 + digit;
    }
    return true;
}

// What is between the percent sign and the letter, and that; *f moves behind it. False with
// ValueError.
bool read_spec(const char** f, Arguments* arguments, Spec* spec) {
    for (;; ++*f) {
        if (**f == '-') {
            spec->left = true;
        } else if (**f == '0') {
            spec->zero = true;
        } else if (**f != '#') {  // asks for what names of static types have anyway
            break;
        }
    }
    if (**f == '*') {
        ++*f;
        const int width = va_arg(arguments->list, int);
        spec->left |= width < 0;
        spec->width = width < 0 ? -static_cast<Py_ssize_t>(width) : width;
    } else if (is_digit(**f) && !read_number(f, "width too big", &spec->width)) {
        return false;
    }
    if (**f == '.') {
        ++*f;
        if (**f == '*') {
            ++*f;
            const int precision = va_arg(arguments->list, int);
            spec->precision = precision < 0 ? -2 : precision;
        } else if (is_digit(**f) && !read_number(f, "precision too big", &spec->precision)) {
            return false;
        }
    }
    if (**f == 'l' && (*f)[1] == 'l') {
        spec->size = 'q';
        *f += 2;
    } else if (**f != '\0' && std::strchr("lztj", **f) != nullptr) {
        spec->size = *(*f)++;
    }
    spec->letter = **f;
    *f += **f == '\0' ? 0 : 1;
    return true;
}

// Whether there is such a conversion.
bool is_allowed(const Spec& spec) {
    switch (spec.letter) {
        case 'd':
        case 'i':
        case 'o':
        case 'u':
        case 'x':
        case 'X':
            return true;
        case 'c':
        case 'p':
            return spec.size == '\0' && spec.width < 0 && spec.precision < 0;
        case 's':
        case 'V':
            return spec.size == '\0' || spec.size == 'l';
        case '\0':
            return false;
        default:
            return spec.size == '\0' && std::strchr("AUSRTN", spec.letter) != nullptr;
    }
}

// NOLINTBEGIN(bugprone-branch-clone): which of these types are the same differs from system to system
intmax_t read_signed(char size, Arguments* arguments) {
    switch (size) {
        case 'l':
            return va_arg(arguments->list, long);
        case 'q':
            return va_arg(arguments->list, long long);
        case 'z':
            return va_arg(arguments->list, Py_ssize_t);
        case 't':
            return va_arg(arguments->list, ptrdiff_t);
        case 'j':
            return va_arg(arguments->list, intmax_t);
        default:
            return va_arg(arguments->list, int);
    }
}

uintmax_t read_unsigned(char size, Arguments* arguments) {
    switch (size) {
        case 'l':
            return va_arg(arguments->list, unsigned long);
        case 'q':
            return va_arg(arguments->list, unsigned long long);
        case 'z':
            return va_arg(arguments->list, size_t);
        case 't':
            return static_cast<uintmax_t>(va_arg(arguments->list, ptrdiff_t));
        case 'j':
            return va_arg(arguments->list, uintmax_t);
        default:
            return va_arg(arguments->list, unsigned);
    }
}
// NOLINTEND(bugprone-branch-clone)

bool Formatter::run(const char* format, Arguments* arguments) {
    while (*format != '\0') {
        if (*format == '%') {
            if (!convert(&format, arguments)) {
                return false;
            }
            continue;
        }
        const char* const begin = format;
        for (; *format != '\0' && *format != '%'; ++format) {
            if (static_cast<unsigned char>(*format) >= 0x80) {
                PyErr_Format(
                    PyExc_ValueError,
                    "PyUnicode_FromFormatV() expects an ASCII-encoded format string, got a "
                    "non-ASCII byte: 0x%02x",
                    static_cast<unsigned char>(*format));
                return false;
            }
        }
        out_.append(std::string_view(begin, format));
    }
    return !out_.failed();
}

bool Formatter::convert(const char** format, Arguments* arguments) {
    const char* const begin = (*format)++;
    if (**format == '%') {
        ++*format;
        out_.append('%');
        return true;
    }
    Spec spec;
    if (!read_spec(format, arguments, &spec)) {
        return false;
    }
    if (!is_allowed(spec)) {
        PyErr_Format(PyExc_SystemError, "invalid format string: %s", begin);
        return false;
    }
    switch (spec.letter) {
        case 'c': {
            const int c = va_arg(arguments->list, int);
            if (c < 0 || c > static_cast<int>(text::utf8::kLast)) {
                PyErr_SetString(PyExc_OverflowError, "character argument not in range(0x110000)");
                return false;
            }
            out_.append_code_point(static_cast<char32_t>(c));
            return true;
        }
        case 'p':
            out_.append_pointer(va_arg(arguments->list, const void*));
            return true;
        case 's':
            return spec.size == 'l'
                       ? append_wide_text(spec, va_arg(arguments->list, const wchar_t*))
                       : append_c_text(spec, va_arg(arguments->list, const char*));
        case 'd':
        case 'i':
        case 'o':
        case 'u':
        case 'x':
        case 'X':
            append_integer(spec, arguments);
            return true;
        default:
            return convert_object(spec, arguments);
    }
}

bool Formatter::convert_object(const Spec& spec, Arguments* arguments) {
    PyObject* op = va_arg(arguments->list, PyObject*);
    switch (spec.letter) {
        case 'U':
            return append_object(spec, op, true);
        case 'V': {
            if (spec.size == 'l') {
                const auto* text = va_arg(arguments->list, const wchar_t*);
                return op != nullptr ? append_object(spec, op, true) : append_wide_text(spec, text);
            }
            const auto* text = va_arg(arguments->list, const char*);
            return op != nullptr ? append_object(spec, op, true) : append_c_text(spec, text);
        }
        case 'S':
            return append_owned(spec, PyObject_Str(op), true);
        case 'R':
            return append_owned(spec, PyObject_Repr(op), true);
        case 'A':
            return append_owned(spec, text::escape_non_ascii(PyObject_Repr(op)), true);
        case 'T':
            return append_owned(spec, type::full_name_of(Py_TYPE(op)), true);
        default:
            if (!PyType_Check(op)) {
                PyErr_SetString(PyExc_TypeError, "%N argument must be a type");
                return false;
            }
            return append_owned(spec, type::full_name_of(reinterpret_cast<PyTypeObject*>(op)),
                                true);
    }
}

// The precision is in bytes; a code point that it cuts in two is left out.
bool Formatter::append_c_text(const Spec& spec, const char* text) {
    const bool cut = spec.precision != -1;
    const auto most = static_cast<size_t>(std::max<Py_ssize_t>(spec.precision, 0));
    const size_t size = cut ? strnlen(text, most) : std::strlen(text);
    Py_ssize_t consumed;
    return append_owned(spec,
                        PyUnicode_DecodeUTF8Stateful(text, static_cast<Py_ssize_t>(size), "replace",
                                                     cut && size == most ? &consumed : nullptr),
                        false);
}

bool Formatter::append_wide_text(const Spec& spec, const wchar_t* text) {
    const auto most = static_cast<size_t>(std::max<Py_ssize_t>(spec.precision, 0));
    const size_t size = spec.precision != -1 ? wcsnlen(text, most) : std::wcslen(text);
    return append_owned(spec, PyUnicode_FromWideChar(text, static_cast<Py_ssize_t>(size)), false);
}

bool Formatter::append_owned(const Spec& spec, PyObject* text, bool cut) {
    const bool appended = text != nullptr && append_object(spec, text, cut);
    Py_XDECREF(text);
    return appended;
}

// cut: the precision holds, in code points.
bool Formatter::append_object(const Spec& spec, PyObject* op, bool cut) {
    std::string_view text = text_in(op);
    Py_ssize_t length = PyUnicode_GET_LENGTH(op);
    if (cut && spec.precision != -1 && spec.precision < length) {
        length = std::max<Py_ssize_t>(spec.precision, 0);
        text = text.substr(0, text::utf8::offset_of(text, static_cast<size_t>(length)));
    }
    append_padded(spec, text, length);
    return true;
}

void Formatter::append_padded(const Spec& spec, std::string_view text, Py_ssize_t length) {
    const auto padding = static_cast<size_t>(std::max<Py_ssize_t>(spec.width - length, 0));
    out_.append(spec.left ? 0 : padding, ' ');
    out_.append(text);
    out_.append(spec.left ? padding : 0, ' ');
}

void Formatter::append_integer(Spec spec, Arguments* arguments) {
    char buffer[24];
    char* end;
    if (spec.letter == 'd' || spec.letter == 'i') {
        end = std::to_chars(buffer, std::end(buffer), read_signed(spec.size, arguments)).ptr;
    } else {
        const int base = spec.letter == 'o' ? 8 : spec.letter == 'u' ? 10 : 16;
        end =
            std::to_chars(buffer, std::end(buffer), read_unsigned(spec.size, arguments), base).ptr;
    }
    if (spec.letter == 'X') {
        std::transform(buffer, end, buffer,
                       [](char c) { return c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c; });
    }
    std::string_view digits(buffer, end);
    const bool negative = digits.front() == '-';
    digits.remove_prefix(negative ? 1 : 0);
    const auto size = static_cast<Py_ssize_t>(digits.size());
    const Py_ssize_t sign = negative ? 1 : 0;
    Py_ssize_t shown = std::max(spec.precision, size);
    if (spec.zero && !spec.left) {
        shown = std::max(shown, spec.width - sign);
    }
    const auto padding = static_cast<size_t>(std::max<Py_ssize_t>(spec.width - shown - sign, 0));
    out_.append(spec.left ? 0 : padding, ' ');
    out_.append(static_cast<size_t>(sign), '-');
    out_.append(static_cast<size_t>(shown - size), '0');
    out_.append(digits);
    out_.append(spec.left ? padding : 0, ' ');
}

}  // namespace

PyObject* PyUnicode_FromFormatV(const char* format, va_list arguments) {
    Arguments copy;
    va_copy(copy.list, arguments);
    Formatter formatter;
    const bool good = formatter.run(format, &copy);
    va_end(copy.list);
    return good ? formatter.take() : nullptr;
}

PyObject* PyUnicode_FromFormat(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    PyObject* text = PyUnicode_FromFormatV(format, arguments);
    va_end(arguments);
    return text;
}
