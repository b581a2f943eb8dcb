// float: its methods.
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/number/number_methods.hpp"
#include "core/builtins/text/format_spec.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/object/own.hpp"

using namespace ouro;

namespace {

double value_of(PyObject* op) {
    return PyFloat_AS_DOUBLE(op);
}

PyObject* exactly(PyObject* op, PyObject*) {
    return PyFloat_CheckExact(op) ? Py_NewRef(op) : PyFloat_FromDouble(value_of(op));
}

PyObject* get_itself(PyObject* op, void*) {
    return exactly(op, nullptr);
}

PyObject* get_zero(PyObject*, void*) {
    return PyFloat_FromDouble(0.0);
}

PyObject* is_integer(PyObject* op, PyObject*) {
    const double value = value_of(op);
    return PyBool_FromLong(std::isfinite(value) && std::floor(value) == value);
}

template <double (*whole)(double)>
PyObject* to_int(PyObject* op, PyObject*) {
    return PyLong_FromDouble(whole(value_of(op)));
}

double toward_zero(double value) {
    return std::trunc(value);
}
double downwards(double value) {
    return std::floor(value);
}
double upwards(double value) {
    return std::ceil(value);
}

// The nearest whole number, of two the even one.
double nearest(double value) {
    const double rounded = std::round(value);
    return std::fabs(value - rounded) == 0.5 ? 2.0 * std::round(value / 2.0) : rounded;
}

// To so many digits behind the point, by way of the exact decimal; before the point by way of a power of ten.
double rounded_to(double value, int digits) {
    if (digits < 0) {
        const double unit = std::pow(10.0, -digits);
        return nearest(value / unit) * unit;
    }
    char text[1024];
    const auto written =
        std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, digits);
    double result = value;
    std::from_chars(text, written.ptr, result);
    return result;
}

PyObject* round_float(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    const double value = value_of(op);
    if (!call::check_count("__round__", nargs, 0, 1)) {
        return nullptr;
    }
    if (nargs == 0 || args[0] == Py_None) {
        return PyLong_FromDouble(std::isfinite(value) ? nearest(value) : value);
    }
    const Py_ssize_t digits = PyNumber_AsSsize_t(args[0], nullptr);
    if (digits == -1 && PyErr_Occurred() != nullptr) {
        return nullptr;
    }
    constexpr Py_ssize_t kMost = 323;    // behind the point: beyond that no double has a digit
    constexpr Py_ssize_t kLeast = -308;  // before it: beyond that all round to zero
    if (!std::isfinite(value) || digits > kMost) {
        return PyFloat_FromDouble(value);
    }
    if (digits < kLeast) {
        return PyFloat_FromDouble(0.0 * value);
    }
    const double rounded = rounded_to(value, static_cast<int>(digits));
    if (!std::isfinite(rounded)) {
        PyErr_SetString(PyExc_OverflowError, "rounded value too large to represent");
        return nullptr;
    }
    return PyFloat_FromDouble(rounded);
}

PyObject* as_integer_ratio(PyObject* op, PyObject*) {
    const double value = value_of(op);
    if (std::isinf(value)) {
        PyErr_SetString(PyExc_OverflowError, "cannot convert Infinity to integer ratio");
        return nullptr;
    }
    if (std::isnan(value)) {
        PyErr_SetString(PyExc_ValueError, "cannot convert NaN to integer ratio");
        return nullptr;
    }
    int exponent;
    double fraction = std::frexp(value, &exponent);
    while (fraction != std::floor(fraction)) {
        fraction *= 2.0;
        --exponent;
    }
    const object::Own whole(PyLong_FromDouble(fraction));
    const object::Own one(PyLong_FromLong(1));
    const object::Own shift(PyLong_FromLong(std::abs(exponent)));
    if (!whole || !one || !shift) {
        return nullptr;
    }
    const object::Own scaled(PyNumber_Lshift(exponent > 0 ? whole.get() : one.get(), shift.get()));
    if (!scaled) {
        return nullptr;
    }
    return exponent > 0 ? PyTuple_Pack(2, scaled.get(), one.get())
                        : PyTuple_Pack(2, whole.get(), scaled.get());
}

PyObject* hex(PyObject* op, PyObject*) {
    const double value = value_of(op);
    if (!std::isfinite(value)) {
        return PyObject_Repr(op);
    }
    const char* sign = std::signbit(value) ? "-" : "";
    if (value == 0.0) {
        return PyUnicode_FromFormat("%s0x0.0p+0", sign);
    }
    constexpr int kDigits = 13;  // of 4 bits each, behind the first bit
    int exponent;
    double fraction = std::frexp(std::fabs(value), &exponent);
    const int shift = 1 - std::max(-1021 - exponent, 0);
    fraction = std::ldexp(fraction, shift);
    exponent -= shift;
    char digits[kDigits + 1];
    const int first = static_cast<int>(fraction);
    fraction -= first;
    for (int i = 0; i < kDigits; ++i) {
        fraction *= 16.0;
        const int digit = static_cast<int>(fraction);
        fraction -= digit;
        digits[i] = "0123456789abcdef"[digit];
    }
    digits[kDigits] = '\0';
    return PyUnicode_FromFormat("%s0x%d.%sp%c%d", sign, first, digits, exponent < 0 ? '-' : '+',
                                std::abs(exponent));
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view space = " \t\n\r\v\f";
    text.remove_prefix(std::min(text.find_first_not_of(space), text.size()));
    return text.substr(0, text.find_last_not_of(space) + 1);
}

std::string_view without(std::string_view text, std::string_view prefix) {
    return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

enum class Read { kGood, kBad, kTooLarge };

// [sign] [0x] digits [. digits] [p exponent], or the names of what is not finite.
Read read_hex(std::string_view text, double* value) {
    text = trimmed(text);
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) {
        text.remove_prefix(1);
    }
    std::string small(text);
    for (char& c : small) {
        c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    const double sign = negative ? -1.0 : 1.0;
    if (small == "inf" || small == "infinity" || small == "nan") {
        *value = std::copysign(small == "nan" ? Py_NAN : Py_INFINITY, sign);
        return Read::kGood;
    }
    const std::string_view digits = without(small, "0x");
    if (digits.empty() || digits.starts_with('-') || digits.find_first_of("in") == 0) {
        return Read::kBad;
    }
    double magnitude = 0.0;
    const auto end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, magnitude, std::chars_format::hex);
    if (read.ptr != end || read.ec == std::errc::invalid_argument) {
        return Read::kBad;
    }
    if (read.ec == std::errc::result_out_of_range) {
        const size_t exponent = digits.find('p');
        if (exponent == std::string_view::npos || !digits.substr(exponent + 1).starts_with('-')) {
            return Read::kTooLarge;
        }
        magnitude = 0.0;
    }
    *value = std::copysign(magnitude, sign);
    return Read::kGood;
}

PyObject* from_hex(PyObject* type, PyObject* text) {
    if (!text::require_str_argument(text)) {
        return nullptr;
    }
    double value;
    switch (read_hex(text::text_in(text), &value)) {
        case Read::kBad:
            PyErr_SetString(PyExc_ValueError, "invalid hexadecimal floating-point string");
            return nullptr;
        case Read::kTooLarge:
            PyErr_SetString(PyExc_OverflowError,
                            "hexadecimal value too large to represent as a float");
            return nullptr;
        case Read::kGood:
            break;
    }
    PyObject* made = PyFloat_FromDouble(value);
    if (made != nullptr && type != reinterpret_cast<PyObject*>(&PyFloat_Type)) {
        PyObject* instance = PyObject_CallOneArg(type, made);
        Py_SETREF(made, instance);
    }
    return made;
}

}  // namespace

PyMethodDef number::float_methods[] = {
    {"conjugate", exactly, METH_NOARGS, "The number itself."},
    {"__format__", text::number_format_as, METH_O, "The number as a format specification says."},
    {"__trunc__", to_int<toward_zero>, METH_NOARGS, "The whole part."},
    {"__floor__", to_int<downwards>, METH_NOARGS, "The greatest int that is not greater."},
    {"__ceil__", to_int<upwards>, METH_NOARGS, "The least int that is not less."},
    {"__round__", _PyCFunction_CAST(round_float), METH_FASTCALL,
     "The nearest int, or float of so many digits behind the point."},
    {"as_integer_ratio", as_integer_ratio, METH_NOARGS, "Two ints whose quotient it is."},
    {"fromhex", from_hex, METH_O | METH_CLASS, "The number that a hexadecimal text is."},
    {"hex", hex, METH_NOARGS, "The number as a hexadecimal text."},
    {"is_integer", is_integer, METH_NOARGS, "Whether it is a whole number."},
    {}};

PyGetSetDef number::float_getset[] = {{"real", get_itself, nullptr, "the number itself", nullptr},
                                      {"imag", get_zero, nullptr, "0.0", nullptr},
                                      {}};
