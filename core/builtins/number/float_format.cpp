#include "core/builtins/number/float_format.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

#include "core/builtins/number/float.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/include/Python.h"
#include "core/object/own.hpp"

namespace ouro::number {
namespace {

std::string written(double value, std::chars_format format, int precision) {
    constexpr size_t kMostDigits = 350;  // before the point, and of an exponent
    std::string text(kMostDigits + static_cast<size_t>(precision), '\0');
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, format, precision).ptr;
    text.resize(static_cast<size_t>(end - text.data()));
    return text;
}

int exponent_of(const std::string& scientific) {
    return std::atoi(scientific.c_str() + scientific.find('e') + 1);
}

// Where the digits end: at the exponent, if there is one.
size_t mantissa_size(const std::string& text) {
    return std::min(text.find('e'), text.size());
}

void add_point(std::string& text) {
    if (text.find('.') == std::string::npos) {
        text.insert(mantissa_size(text), 1, '.');
    }
}

void drop_zeros(std::string& text) {
    if (text.find('.') == std::string::npos) {
        return;
    }
    const size_t end = mantissa_size(text);
    size_t kept = text.find_last_not_of('0', end - 1) + 1;
    if (text[kept - 1] == '.') {
        --kept;
    }
    text.erase(kept, end - kept);
}

// Of a magnitude; `dot`: what is written without an exponent has a digit behind the point.
std::string general(double value, int precision, bool alternate, bool dot) {
    precision = std::max(precision, 1);
    std::string text = written(value, std::chars_format::scientific, precision - 1);
    const int exponent = exponent_of(text);
    if (exponent >= -4 && exponent < precision - (dot ? 1 : 0)) {
        text = written(value, std::chars_format::fixed, precision - 1 - exponent);
    }
    if (!alternate) {
        drop_zeros(text);
    }
    if (dot && text.find_first_of(".e") == std::string::npos) {
        text.append(".0");
    }
    return text;
}

}  // namespace

std::string format_double(double value, char letter, int precision, bool alternate) {
    const bool capitals = letter >= 'A' && letter <= 'Z';
    const char small = static_cast<char>(capitals ? letter - 'A' + 'a' : letter);
    const double magnitude = std::fabs(value);
    std::string text;
    if (!std::isfinite(value)) {
        text = written(magnitude, std::chars_format::fixed, 0);
    } else if (small == 'g' || small == 'r') {
        text = general(magnitude, precision, alternate, small == 'r');
    } else {
        text = written(magnitude,
                       small == 'e' ? std::chars_format::scientific : std::chars_format::fixed,
                       precision);
    }
    if (alternate && std::isfinite(value)) {
        add_point(text);
    }
    if (std::signbit(value) && !std::isnan(value)) {
        text.insert(0, 1, '-');
    }
    for (char& c : text) {
        c = static_cast<char>(capitals && c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    }
    return text;
}

}  // namespace ouro::number

using namespace ouro;

char* PyOS_double_to_string(double value, char letter, int precision, int flags, int* type) {
    std::string text;
    try {
        if (letter == 'r') {
            if (precision != 0) {
                PyErr_BadInternalCall();
                return nullptr;
            }
            const object::Own op(PyFloat_FromDouble(value));
            const object::Own repr(!op ? nullptr : number::float_repr(op.get()));
            if (!repr) {
                return nullptr;
            }
            text = text::text_in(repr.get());
            if ((flags & Py_DTSF_ADD_DOT_0) == 0 && text.ends_with(".0")) {
                text.resize(text.size() - 2);
            }
        } else if (letter != '\0' && std::strchr("eEfFgG", letter) != nullptr) {
            text = number::format_double(value, letter, precision, (flags & Py_DTSF_ALT) != 0);
            if ((flags & Py_DTSF_ADD_DOT_0) != 0 &&
                text.find_first_not_of("-0123456789") == std::string::npos) {
                text.append(".0");
            }
        } else {
            PyErr_BadInternalCall();
            return nullptr;
        }
        if ((flags & Py_DTSF_NO_NEG_0) != 0 && text.starts_with('-') &&
            text.find_first_not_of("-0.eE+") == std::string::npos) {
            text.erase(0, 1);
        }
        if ((flags & Py_DTSF_SIGN) != 0 && !text.starts_with('-')) {
            text.insert(0, 1, '+');
        }
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
        return nullptr;
    }
    auto* copy = static_cast<char*>(PyMem_Malloc(text.size() + 1));
    if (copy == nullptr) {
        PyErr_NoMemory();
        return nullptr;
    }
    std::memcpy(copy, text.c_str(), text.size() + 1);
    if (type != nullptr) {
        *type = std::isnan(value)   ? Py_DTST_NAN
                : std::isinf(value) ? Py_DTST_INFINITE
                                    : Py_DTST_FINITE;
    }
    return copy;
}
