// str % arguments. Source: "printf-style String Formatting" in the language's documentation.
#include <algorithm>
#include <climits>
#include <new>
#include <string>
#include <utility>

#include "core/builtins/number/float_format.hpp"
#include "core/builtins/number/long.hpp"
#include "core/builtins/text/text_buffer.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/builtins/text/unicode_methods.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using text::text_in;

namespace {

// One conversion: %[(key)][flags][width][.precision][size]letter.
struct Spec {
    bool left = false;
    bool plus = false;
    bool space = false;
    bool alternate = false;
    bool zero = false;
    Py_ssize_t width = -1;      // -1: none
    Py_ssize_t precision = -1;  // -1: none
    char32_t letter = 0;
};

class Percent {
public:
    Percent(std::string_view format, PyObject* args)
        : begin_(format.data()), p_(begin_), end_(begin_ + format.size()), args_(args) {
        count_ = PyTuple_Check(args) ? PyTuple_GET_SIZE(args) : 1;
        has_keys_ = PyMapping_Check(args) != 0 && !PyTuple_Check(args) && !PyUnicode_Check(args);
    }

    // New reference, or nullptr with an exception.
    PyObject* run() {
        while (p_ < end_ && !out_.failed()) {
            const char* percent = std::find(p_, end_, '%');
            out_.append(std::string_view(p_, percent));
            p_ = percent;
            if (p_ < end_ && !convert()) {
                return nullptr;
            }
        }
        if (used_ < count_ && !has_keys_ && !out_.failed()) {
            PyErr_SetString(PyExc_TypeError,
                            "not all arguments converted during string formatting");
            return nullptr;
        }
        return out_.to_str();
    }

private:
    bool refuse(PyObject* type, const char* message) {
        PyErr_SetString(type, message);
        return false;
    }

    // The next argument, borrowed; nullptr with TypeError.
    PyObject* next_argument() {
        if (keyed_) {  // what a key has chosen is one argument
            if (!std::exchange(key_used_, true)) {
                return keyed_.get();
            }
        } else if (used_ < count_) {
            const Py_ssize_t index = used_++;
            return PyTuple_Check(args_) ? PyTuple_GET_ITEM(args_, index) : args_;
        }
        PyErr_SetString(PyExc_TypeError, "not enough arguments for format string");
        return nullptr;
    }

    bool read_key() {
        if (!has_keys_) {
            return refuse(PyExc_TypeError, "format requires a mapping");
        }
        const char* key = ++p_;
        int depth = 1;
        while (p_ < end_ && (depth += *p_ == '(' ? 1 : *p_ == ')' ? -1 : 0) > 0) {
            ++p_;
        }
        if (depth > 0) {
            return refuse(PyExc_ValueError, "incomplete format key");
        }
        const object::Own name(text::new_text({key, static_cast<size_t>(p_ - key)}));
        ++p_;
        keyed_ = object::Own(name ? PyObject_GetItem(args_, name.get()) : nullptr);
        key_used_ = false;
        used_ = count_;
        return static_cast<bool>(keyed_);
    }

    void read_flags(Spec* spec) {
        for (; p_ < end_; ++p_) {
            switch (*p_) {
                case '-':
                    spec->left = true;
                    break;
                case '+':
                    spec->plus = true;
                    break;
                case ' ':
                    spec->space = true;
                    break;
                case '#':
                    spec->alternate = true;
                    break;
                case '0':
                    spec->zero = true;
                    break;
                default:
                    return;
            }
        }
    }

    // Digits, or a star: then an argument is the number.
    bool read_number(Py_ssize_t most, const char* too_big, Py_ssize_t* number) {
        if (p_ < end_ && *p_ == '*') {
            ++p_;
            PyObject* argument = next_argument();
            if (argument == nullptr) {
                return false;
            }
            if (!PyLong_Check(argument)) {
                return refuse(PyExc_TypeError, "* wants int");
            }
            *number = PyLong_AsSsize_t(argument);
            if (*number == -1 && PyErr_Occurred() != nullptr) {
                return false;
            }
            return *number <= most ||
                   refuse(PyExc_OverflowError, "Python int too large to convert to C int");
        }
        Py_ssize_t value = *number;
        for (; p_ < end_ && *p_ >= '0' && *p_ <= '9'; ++p_) {
            value = std::max<Py_ssize_t>(value, 0);
            if (value > (most - (*p_ - '0')) / 10) {
                return refuse(PyExc_ValueError, too_big);
            }
            value = value * 10 + (*p_ - '0');
        }
        *number = value;
        return true;
    }

    bool read_spec(Spec* spec) {
        ++p_;
        keyed_ = object::Own();
        if (p_ < end_ && *p_ == '(' && !read_key()) {
            return false;
        }
        read_flags(spec);
        if (!read_number(PY_SSIZE_T_MAX, "width too big", &spec->width)) {
            return false;
        }
        if (spec->width < -1) {
            spec->left = true;
            spec->width = -spec->width;
        }
        if (p_ < end_ && *p_ == '.') {
            ++p_;
            spec->precision = 0;
            if (!read_number(INT_MAX, "precision too big", &spec->precision)) {
                return false;
            }
            spec->precision = std::max<Py_ssize_t>(spec->precision, 0);
        }
        if (p_ < end_ && (*p_ == 'h' || *p_ == 'l' || *p_ == 'L')) {
            ++p_;
        }
        if (p_ == end_) {
            return refuse(PyExc_ValueError, "incomplete format");
        }
        letter_ = p_;
        spec->letter = text::utf8::next(&p_);
        return true;
    }

    bool convert() {
        if (end_ - p_ > 1 && p_[1] == '%') {
            out_.append('%');
            p_ += 2;
            return true;
        }
        Spec spec;
        if (!read_spec(&spec)) {
            return false;
        }
        PyObject* argument = next_argument();
        if (argument == nullptr) {
            return false;
        }
        switch (spec.letter) {
            case 's':
                return append_text(spec, object::Own(PyObject_Str(argument)));
            case 'r':
                return append_text(spec, object::Own(PyObject_Repr(argument)));
            case 'a':
                return append_text(spec,
                                   object::Own(text::escape_non_ascii(PyObject_Repr(argument))));
            case 'd':
            case 'i':
            case 'u':
            case 'o':
            case 'x':
            case 'X':
                return append_int(spec, argument);
            case 'e':
            case 'E':
            case 'f':
            case 'F':
            case 'g':
            case 'G':
                return append_float(spec, argument);
            case 'c':
                return append_character(spec, argument);
            default:
                PyErr_Format(
                    PyExc_ValueError, "unsupported format character '%c' (0x%x) at index %zd",
                    spec.letter > 31 && spec.letter < 128 ? static_cast<int>(spec.letter) : '?',
                    static_cast<unsigned>(spec.letter),
                    static_cast<Py_ssize_t>(text::utf8::count({begin_, letter_})));
                return false;
        }
    }

    void append_padded(const Spec& spec, std::string_view text, Py_ssize_t length) {
        const auto missing = static_cast<size_t>(std::max<Py_ssize_t>(spec.width - length, 0));
        out_.append(spec.left ? 0 : missing, ' ');
        out_.append(text);
        out_.append(spec.left ? missing : 0, ' ');
    }

    bool append_text(const Spec& spec, const object::Own& op) {
        if (!op) {
            return false;
        }
        std::string_view text = text_in(op.get());
        Py_ssize_t length = text::unicode(op.get())->length;
        if (spec.precision >= 0 && spec.precision < length) {
            length = spec.precision;
            text = text.substr(0, text::utf8::offset_of(text, static_cast<size_t>(length)));
        }
        append_padded(spec, text, length);
        return true;
    }

    // A number's digits, with its minus, and a prefix that goes before what fills it up.
    bool append_number(const Spec& spec, std::string digits, size_t prefix) {
        std::string_view sign;
        if (digits.starts_with('-')) {
            sign = "-";
            digits.erase(0, 1);
        } else if (spec.plus || spec.space) {
            sign = spec.plus ? "+" : " ";
        }
        const auto size = [&] { return static_cast<Py_ssize_t>(sign.size() + digits.size()); };
        if (spec.zero && !spec.left && size() < spec.width) {
            digits.insert(prefix, static_cast<size_t>(spec.width - size()), '0');
        }
        const Py_ssize_t length = size();
        const auto missing = static_cast<size_t>(std::max(spec.width, length) - length);
        out_.append(spec.left ? 0 : missing, ' ');
        out_.append(sign);
        out_.append(digits);
        out_.append(spec.left ? missing : 0, ' ');
        return true;
    }

    bool append_int(const Spec& spec, PyObject* argument) {
        const bool whole = spec.letter == 'o' || spec.letter == 'x' || spec.letter == 'X';
        object::Own value(PyLong_Check(argument)          ? Py_NewRef(argument)
                          : PyNumber_Check(argument) == 0 ? nullptr
                          : whole                         ? PyNumber_Index(argument)
                                                          : PyNumber_Long(argument));
        if (!value) {
            if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
                return false;
            }
            PyErr_Format(PyExc_TypeError, "%%%c format: %s is required, not %.200s",
                         static_cast<int>(spec.letter), whole ? "an integer" : "a real number",
                         Py_TYPE(argument)->tp_name);
            return false;
        }
        const int base = spec.letter == 'o' ? 8 : whole ? 16 : 10;
        const bool has_prefix = spec.alternate && base != 10;
        const object::Own digits(number::format_int(value.get(), base, has_prefix));
        if (!digits) {
            return false;
        }
        try {
            std::string text(text_in(digits.get()));
            const size_t sign = text.starts_with('-') ? 1 : 0;
            const size_t prefix = has_prefix ? 2 : 0;
            const auto count = static_cast<Py_ssize_t>(text.size() - sign - prefix);
            if (spec.precision > count) {
                text.insert(sign + prefix, static_cast<size_t>(spec.precision - count), '0');
            }
            for (char& c : text) {
                c = static_cast<char>(spec.letter == 'X' && c >= 'a' && c <= 'z' ? c - 'a' + 'A'
                                                                                 : c);
            }
            return append_number(spec, std::move(text), prefix);
        } catch (const std::exception&) {
            PyErr_NoMemory();
            return false;
        }
    }

    bool append_float(const Spec& spec, PyObject* argument) {
        const double value = PyFloat_AsDouble(argument);
        if (value == -1.0 && PyErr_Occurred() != nullptr) {
            return false;
        }
        try {
            const int precision = spec.precision < 0 ? 6 : static_cast<int>(spec.precision);
            return append_number(spec,
                                 number::format_double(value, static_cast<char>(spec.letter),
                                                       precision, spec.alternate),
                                 0);
        } catch (const std::exception&) {
            PyErr_NoMemory();
            return false;
        }
    }

    bool append_character(const Spec& spec, PyObject* argument) {
        if (PyUnicode_Check(argument) && text::unicode(argument)->length == 1) {
            append_padded(spec, text_in(argument), 1);
            return true;
        }
        if (PyUnicode_Check(argument) || PyIndex_Check(argument) == 0) {
            return refuse(PyExc_TypeError, "%c requires int or char");
        }
        const Py_ssize_t number = PyNumber_AsSsize_t(argument, nullptr);
        if (number == -1 && PyErr_Occurred() != nullptr) {
            return false;
        }
        if (number < 0 || number > static_cast<Py_ssize_t>(text::utf8::kLast)) {
            return refuse(PyExc_OverflowError, "%c arg not in range(0x110000)");
        }
        char bytes[text::utf8::kMostBytes];
        append_padded(spec, {bytes, text::utf8::put(static_cast<char32_t>(number), bytes)}, 1);
        return true;
    }

    const char* const begin_;
    const char* p_;
    const char* const end_;
    const char* letter_ = nullptr;
    PyObject* const args_;
    Py_ssize_t count_;
    Py_ssize_t used_ = 0;
    bool has_keys_;
    object::Own keyed_;  // what the key of this conversion has chosen
    bool key_used_ = false;
    text::TextBuffer out_;
};

PyObject* percent(PyObject* a, PyObject* b) {
    return PyUnicode_Check(a) ? PyUnicode_Format(a, b) : Py_NewRef(Py_NotImplemented);
}

}  // namespace

PyNumberMethods text::unicode_as_number = {.nb_remainder = percent};

PyObject* PyUnicode_Format(PyObject* format, PyObject* args) {
    if (format == nullptr || args == nullptr) {
        PyErr_BadInternalCall();
        return nullptr;
    }
    if (!text::require_str(format)) {
        return nullptr;
    }
    return Percent(text_in(format), args).run();
}
