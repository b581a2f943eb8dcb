// int and float by a format specification.
#include <climits>
#include <cmath>
#include <exception>
#include <string>

#include "core/builtins/number/float.hpp"
#include "core/builtins/number/float_format.hpp"
#include "core/builtins/number/long.hpp"
#include "core/builtins/text/format_spec.hpp"
#include "core/builtins/text/text_buffer.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/object/own.hpp"

namespace ouro::text {
namespace {

// A number in parts: what goes before what fills it up, whole digits, which may be grouped, and the rest.
struct Parts {
    std::string_view sign, prefix;
    std::string digits, rest;
};

// Appends digits with a separator between groups, with zeros in front up to a width. Pre: not empty.
void append_grouped(TextBuffer& out, std::string_view digits, char separator, size_t size,
                    size_t width) {
    // (n - 1) / size separators stand between n digits.
    const size_t least =
        width == 0 ? 0 : (width - 1) / (size + 1) * size + (width - 1) % (size + 1) + 1;
    size_t zeros = std::max(least, digits.size()) - digits.size();
    const size_t first_group = (zeros + digits.size()) % size;
    if (first_group > 0 && zeros >= first_group) {
        out.append(first_group, '0');
        out.append(separator);
        zeros -= first_group;
    }
    if (zeros >= size) {
        out.append(zeros / size, std::string(size, '0') + separator);
        zeros %= size;
    }
    out.append(zeros, '0');
    for (size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % size == 0) {
            out.append(separator);
        }
        out.append(digits[i]);
    }
}

PyObject* assembled(const FormatSpec& spec, Parts parts) {
    if (parts.sign.empty() && (spec.sign == '+' || spec.sign == ' ')) {
        parts.sign = spec.sign == '+' ? "+" : " ";
    }
    const size_t around = parts.sign.size() + parts.prefix.size() + parts.rest.size();
    const auto width = static_cast<size_t>(std::max<Py_ssize_t>(spec.width, 0));
    if (spec.grouping != '\0' && !parts.digits.empty()) {
        const size_t group =
            spec.type < 0x80 && std::string_view("boxX").find(static_cast<char>(spec.type)) !=
                                    std::string_view::npos
                ? 4
                : 3;
        const bool zeros = spec.fill == "0" && spec.align == '=';
        TextBuffer digits;
        append_grouped(digits, parts.digits, spec.grouping, group,
                       zeros && width > around ? width - around : 0);
        if (digits.failed()) {
            return nullptr;
        }
        parts.digits = digits.view();
    }
    const size_t length = around + parts.digits.size();
    const size_t missing = width > length ? width - length : 0;
    const char align = spec.align == '\0' ? '>' : spec.align;
    const size_t before = align == '>' ? missing : align == '^' ? missing / 2 : 0;
    const size_t inside = align == '=' ? missing : 0;
    TextBuffer out;
    out.append(before, spec.fill);
    out.append(parts.sign);
    out.append(parts.prefix);
    out.append(inside, spec.fill);
    out.append(parts.digits);
    out.append(parts.rest);
    out.append(missing - before - inside, spec.fill);
    return out.to_str();
}

PyObject* refuse(const char* message) {
    PyErr_SetString(PyExc_ValueError, message);
    return nullptr;
}

PyObject* format_character(PyObject* op, const FormatSpec& spec) {
    if (spec.sign != '\0') {
        return refuse("Sign not allowed with integer format specifier 'c'");
    }
    if (spec.alternate) {
        return refuse("Alternate form (#) not allowed with integer format specifier 'c'");
    }
    const long number = PyLong_AsLong(op);
    if (number == -1 && PyErr_Occurred() != nullptr) {
        return nullptr;
    }
    if (number < 0 || number > static_cast<long>(utf8::kLast)) {
        PyErr_SetString(PyExc_OverflowError, "%c arg not in range(0x110000)");
        return nullptr;
    }
    const object::Own text(PyUnicode_FromOrdinal(static_cast<int>(number)));
    if (!text) {
        return nullptr;
    }
    // One code point, of however many bytes.
    FormatSpec padded = spec;
    const auto extra = static_cast<Py_ssize_t>(text_in(text.get()).size()) - 1;
    if (spec.width >= 0 && __builtin_add_overflow(spec.width, extra, &padded.width)) {
        return PyErr_NoMemory();
    }
    return assembled(padded, {"", "", "", std::string(text_in(text.get()))});
}

PyObject* format_whole(PyObject* op, const FormatSpec& spec) {
    if (spec.precision >= 0) {
        return refuse("Precision not allowed in integer format specifier");
    }
    if (spec.no_negative_zero) {
        return refuse("Negative zero coercion (z) not allowed in integer format specifier");
    }
    if (spec.type == 'c') {
        return format_character(op, spec);
    }
    const int base = spec.type == 'b'                       ? 2
                     : spec.type == 'o'                     ? 8
                     : spec.type == 'x' || spec.type == 'X' ? 16
                                                            : 10;
    const object::Own text(number::format_int(op, base, false));
    if (!text) {
        return nullptr;
    }
    Parts parts;
    parts.digits = text_in(text.get());
    if (parts.digits.starts_with('-')) {
        parts.sign = "-";
        parts.digits.erase(0, 1);
    }
    if (spec.type == 'X') {
        for (char& c : parts.digits) {
            c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
        }
    }
    if (spec.alternate && base != 10) {
        parts.prefix = base == 2 ? "0b" : base == 8 ? "0o" : spec.type == 'X' ? "0X" : "0x";
    }
    return assembled(spec, parts);
}

// The text of a double by a specification, without what fills it up.
std::string double_text(const object::Own& op, double value, const FormatSpec& spec) {
    const int precision = static_cast<int>(spec.precision);
    switch (spec.type) {
        case 0:
            return spec.precision < 0
                       ? std::string(text_in(op.get()))
                       : number::format_double(value, 'r', precision, spec.alternate);
        case 'n':
            return number::format_double(value, 'g', precision < 0 ? 6 : precision, spec.alternate);
        case '%':
            return number::format_double(value * 100, 'f', precision < 0 ? 6 : precision,
                                         spec.alternate) +
                   '%';
        default:
            return number::format_double(value, static_cast<char>(spec.type),
                                         precision < 0 ? 6 : precision, spec.alternate);
    }
}

PyObject* format_real(double value, const FormatSpec& spec) {
    if (spec.precision > INT_MAX) {
        return refuse("precision too big");
    }
    const object::Own op(PyFloat_FromDouble(value));
    const object::Own shortest(!op ? nullptr : number::float_repr(op.get()));
    if (!shortest) {
        return nullptr;
    }
    Parts parts;
    std::string text = double_text(shortest, value, spec);
    if (text.starts_with('-')) {
        parts.sign = "-";
        text.erase(0, 1);
    }
    if (spec.no_negative_zero && text.find_first_of("123456789in") == std::string::npos) {
        parts.sign = {};
    }
    const size_t whole = std::min(text.find_first_not_of("0123456789"), text.size());
    parts.digits = text.substr(0, whole);
    parts.rest = text.substr(whole);
    return assembled(spec, parts);
}

}  // namespace

PyObject* number_format_as(PyObject* op, PyObject* text) {
    if (!PyUnicode_Check(text)) {
        return PyErr_Format(PyExc_TypeError, "__format__() argument must be str, not %.50s",
                            text == Py_None ? "None" : Py_TYPE(text)->tp_name);
    }
    if (text_in(text).empty()) {
        return PyObject_Str(op);
    }
    FormatSpec spec;
    if (!read_format_spec(text_in(text), op, true, &spec)) {
        return nullptr;
    }
    const auto type = spec.type < 0x80 ? static_cast<char>(spec.type) : '\x7F';
    const bool whole =
        PyLong_Check(op) && std::string_view("bcdoxXn").find(type) != std::string_view::npos;
    try {
        if (whole || (PyLong_Check(op) && spec.type == 0)) {
            return format_whole(op, spec);
        }
        if (spec.type != 0 && std::string_view("eEfFgG%n").find(type) == std::string_view::npos) {
            refuse_format_type(spec, op);
            return nullptr;
        }
        const double value = PyLong_Check(op) ? PyLong_AsDouble(op) : PyFloat_AS_DOUBLE(op);
        return value == -1.0 && PyErr_Occurred() != nullptr ? nullptr : format_real(value, spec);
    } catch (const std::exception&) {
        return PyErr_NoMemory();
    }
}

}  // namespace ouro::text
