#include "core/builtins/text/format_spec.hpp"

#include "core/builtins/text/text_buffer.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/builtins/type/special.hpp"
#include "core/object/own.hpp"

namespace ouro::text {
namespace {

bool is_align(char c) {
    return c == '<' || c == '>' || c == '=' || c == '^';
}

bool refuse(const char* message) {
    PyErr_SetString(PyExc_ValueError, message);
    return false;
}

// Digits from the front of `rest`; *number stays as it is if there is none. False with ValueError.
bool take_number(std::string_view* rest, Py_ssize_t* number) {
    for (bool first = true; !rest->empty() && rest->front() >= '0' && rest->front() <= '9';
         first = false) {
        const int digit = rest->front() - '0';
        const Py_ssize_t value = first ? 0 : *number;
        if (value > (PY_SSIZE_T_MAX - digit) / 10) {
            return refuse("Too many decimal digits in format string");
        }
        *number = value * 10 + digit;
        rest->remove_prefix(1);
    }
    return true;
}

bool take(std::string_view* rest, char c) {
    if (!rest->starts_with(c)) {
        return false;
    }
    rest->remove_prefix(1);
    return true;
}

void take_alignment(std::string_view* rest, FormatSpec* spec) {
    const size_t first = rest->empty() ? 0 : utf8::length_of(rest->front());
    if (first < rest->size() && is_align((*rest)[first])) {
        spec->fill = rest->substr(0, first);
        spec->align = (*rest)[first];
        rest->remove_prefix(first + 1);
    } else if (!rest->empty() && is_align(rest->front())) {
        spec->align = rest->front();
        rest->remove_prefix(1);
    }
}

bool refuse_grouping(char grouping, char32_t type) {
    PyErr_Format(PyExc_ValueError, "Cannot specify '%c' with '%c'.", grouping,
                 static_cast<int>(type));
    return false;
}

bool take_grouping(std::string_view* rest, FormatSpec* spec) {
    if (take(rest, ',')) {
        spec->grouping = ',';
    }
    if (take(rest, '_')) {
        if (spec->grouping != '\0') {
            return refuse("Cannot specify both ',' and '_'.");
        }
        spec->grouping = '_';
    }
    return !rest->starts_with(',') || spec->grouping != '_' ||
           refuse("Cannot specify both ',' and '_'.");
}

bool check_grouping(const FormatSpec& spec) {
    if (spec.grouping == '\0' || spec.type == 0) {
        return true;
    }
    const std::string_view decimal = "defgEG%F";
    const std::string_view other = "boxX";
    const auto type = spec.type < 0x80 ? static_cast<char>(spec.type) : '\0';
    const bool fits = decimal.find(type) != std::string_view::npos ||
                      (spec.grouping == '_' && other.find(type) != std::string_view::npos);
    return fits || refuse_grouping(spec.grouping, spec.type);
}

}  // namespace

bool read_format_spec(std::string_view text, PyObject* op, bool numeric, FormatSpec* spec) {
    std::string_view rest = text;
    take_alignment(&rest, spec);
    if (rest.starts_with('+') || rest.starts_with('-') || rest.starts_with(' ')) {
        spec->sign = rest.front();
        rest.remove_prefix(1);
    }
    spec->no_negative_zero = take(&rest, 'z');
    spec->alternate = take(&rest, '#');
    const bool is_filled =
        spec->align != '\0' && text.data() != nullptr && spec->fill.data() == text.data();
    if (!is_filled && take(&rest, '0')) {
        spec->fill = "0";
        if (spec->align == '\0' && numeric) {
            spec->align = '=';
        }
    }
    if (!take_number(&rest, &spec->width) || !take_grouping(&rest, spec)) {
        return false;
    }
    if (take(&rest, '.')) {
        if (!take_number(&rest, &spec->precision)) {
            return false;
        }
        if (spec->precision < 0) {
            return refuse("Format specifier missing precision");
        }
    }
    if (!rest.empty()) {
        const char* p = rest.data();
        spec->type = utf8::next(&p);
        if (p != rest.data() + rest.size()) {
            PyErr_Format(PyExc_ValueError,
                         "Invalid format specifier '%.*s' for object of type '%.200s'",
                         static_cast<int>(text.size()), text.data(), Py_TYPE(op)->tp_name);
            return false;
        }
    }
    return check_grouping(*spec);
}

bool refuse_format_type(const FormatSpec& spec, PyObject* op) {
    if (spec.type > 32 && spec.type < 128) {
        PyErr_Format(PyExc_ValueError, "Unknown format code '%c' for object of type '%.200s'",
                     static_cast<int>(spec.type), Py_TYPE(op)->tp_name);
    } else {
        PyErr_Format(PyExc_ValueError, "Unknown format code '\\x%x' for object of type '%.200s'",
                     static_cast<unsigned>(spec.type), Py_TYPE(op)->tp_name);
    }
    return false;
}

PyObject* unicode_format_as(PyObject* op, PyObject* text) {
    if (!PyUnicode_Check(text)) {
        return PyErr_Format(PyExc_TypeError, "__format__() argument must be str, not %.50s",
                            text == Py_None ? "None" : Py_TYPE(text)->tp_name);
    }
    if (text_in(text).empty()) {
        return PyUnicode_CheckExact(op) ? Py_NewRef(op) : PyObject_Str(op);
    }
    FormatSpec spec;
    if (!read_format_spec(text_in(text), op, false, &spec)) {
        return nullptr;
    }
    if (spec.type != 0 && spec.type != 's') {
        refuse_format_type(spec, op);
        return nullptr;
    }
    const char* wrong = spec.sign == ' '    ? "Space not allowed in string format specifier"
                        : spec.sign != '\0' ? "Sign not allowed in string format specifier"
                        : spec.no_negative_zero
                            ? "Negative zero coercion (z) not allowed in string format specifier"
                        : spec.alternate
                            ? "Alternate form (#) not allowed in string format specifier"
                        : spec.align == '=' ? "'=' alignment not allowed in string format specifier"
                                            : nullptr;
    if (wrong != nullptr) {
        PyErr_SetString(PyExc_ValueError, wrong);
        return nullptr;
    }
    if (spec.grouping != '\0') {
        refuse_grouping(spec.grouping, 's');
        return nullptr;
    }
    std::string_view content = text_in(op);
    Py_ssize_t length = unicode(op)->length;
    if (spec.precision >= 0 && spec.precision < length) {
        length = spec.precision;
        content = content.substr(0, utf8::offset_of(content, static_cast<size_t>(length)));
    }
    const size_t missing = spec.width > length ? static_cast<size_t>(spec.width - length) : 0;
    const size_t before = spec.align == '>' ? missing : spec.align == '^' ? missing / 2 : 0;
    TextBuffer out;
    out.append(before, spec.fill);
    out.append(content);
    out.append(missing - before, spec.fill);
    return out.to_str();
}

}  // namespace ouro::text

using namespace ouro;
using namespace ouro::type::literals;

PyObject* PyObject_Format(PyObject* op, PyObject* spec) {
    if (spec != nullptr && !PyUnicode_Check(spec)) {
        return PyErr_Format(PyExc_SystemError, "Format specifier must be a string, not %.200s",
                            Py_TYPE(spec)->tp_name);
    }
    const bool is_plain = spec == nullptr || text::text_in(spec).empty();
    if (is_plain && (PyUnicode_CheckExact(op) || PyLong_CheckExact(op))) {
        return PyObject_Str(op);
    }
    const type::SpecialMethod method(op, "__format__"_name);
    if (method.failed()) {
        return nullptr;
    }
    if (method.missing()) {  // as object does it
        return is_plain ? PyObject_Str(op)
                        : PyErr_Format(PyExc_TypeError,
                                       "unsupported format string passed to %.200s.__format__",
                                       Py_TYPE(op)->tp_name);
    }
    const object::Own given(spec == nullptr ? text::new_text({}) : Py_NewRef(spec));
    object::Own result(given ? method.call(given.get()) : nullptr);
    if (result && !PyUnicode_Check(result.get())) {
        return PyErr_Format(PyExc_TypeError, "__format__ must return a str, not %.200s",
                            Py_TYPE(result.get())->tp_name);
    }
    return result.release();
}
