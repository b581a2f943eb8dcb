// str: methods that cut at the ends, fill them up, or cut a text in two.
#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/text/text_buffer.hpp"
#include "core/builtins/text/text_parts.hpp"
#include "core/builtins/text/unicode_case.hpp"
#include "core/builtins/text/unicode_methods.hpp"

using namespace ouro;
using text::text_in;
using text::unicode;

namespace {

enum class Ends { kLeft = 1, kRight = 2, kBoth = 3 };

bool has(Ends ends, Ends one) {
    return (static_cast<int>(ends) & static_cast<int>(one)) != 0;
}

std::string_view last_code_point(std::string_view text) {
    size_t begin = text.size() - 1;
    while (text::utf8::is_continuation(text[begin])) {
        --begin;
    }
    return text.substr(begin);
}

// What is left of a text without the code points at its ends that `drop` says go.
template <class Drop>
std::string_view stripped(std::string_view text, Ends ends, const Drop& drop) {
    while (has(ends, Ends::kLeft) && !text.empty()) {
        const std::string_view first = text.substr(0, text::utf8::length_of(text.front()));
        if (!drop(first)) {
            break;
        }
        text.remove_prefix(first.size());
    }
    while (has(ends, Ends::kRight) && !text.empty()) {
        const std::string_view last = last_code_point(text);
        if (!drop(last)) {
            break;
        }
        text.remove_suffix(last.size());
    }
    return text;
}

// A str of a part of op's text; of all of it op itself.
PyObject* part_of(PyObject* op, std::string_view part) {
    return part.size() == text_in(op).size() ? PyUnicode_FromObject(op) : text::new_text(part);
}

PyObject* strip(const char* name, Ends ends, PyObject* op, PyObject* const* args,
                Py_ssize_t nargs) {
    if (!call::check_count(name, nargs, 0, 1)) {
        return nullptr;
    }
    PyObject* which = nargs == 0 ? Py_None : args[0];
    if (which == Py_None) {
        return part_of(op, stripped(text_in(op), ends, [](std::string_view each) {
                           const char* p = each.data();
                           return text::is_space(text::utf8::next(&p));
                       }));
    }
    if (!PyUnicode_Check(which)) {
        return PyErr_Format(PyExc_TypeError, "%s arg must be None or str", name);
    }
    // A code point is found as bytes only where one begins.
    return part_of(op, stripped(text_in(op), ends, [=](std::string_view each) {
                       return text_in(which).find(each) != std::string_view::npos;
                   }));
}

// A str with so many times a text before op's and behind it.
PyObject* padded(PyObject* op, Py_ssize_t before, Py_ssize_t behind, std::string_view fill) {
    text::TextBuffer out;
    out.append(static_cast<size_t>(before), fill);
    out.append(text_in(op));
    out.append(static_cast<size_t>(behind), fill);
    return out.to_str();
}

// How much is missing to a width, and the code point that is to fill it. False with an exception.
bool take_padding(const char* name, PyObject* op, PyObject* const* args, Py_ssize_t nargs,
                  Py_ssize_t* missing, std::string_view* fill) {
    Py_ssize_t width;
    if (!call::check_count(name, nargs, 1, 2) || !call::take_ssize(args[0], &width)) {
        return false;
    }
    *missing = width > unicode(op)->length ? width - unicode(op)->length : 0;
    *fill = " ";
    if (nargs < 2) {
        return true;
    }
    if (!PyUnicode_Check(args[1])) {
        PyErr_Format(PyExc_TypeError, "The fill character must be a unicode character, not %.100s",
                     Py_TYPE(args[1])->tp_name);
        return false;
    }
    if (unicode(args[1])->length != 1) {
        PyErr_SetString(PyExc_TypeError, "The fill character must be exactly one character long");
        return false;
    }
    *fill = text_in(args[1]);
    return true;
}

// Three strs as a tuple; steals them.
PyObject* triple(PyObject* a, PyObject* b, PyObject* c) {
    PyObject* made =
        a != nullptr && b != nullptr && c != nullptr ? PyTuple_Pack(3, a, b, c) : nullptr;
    Py_XDECREF(a);
    Py_XDECREF(b);
    Py_XDECREF(c);
    return made;
}

// What is before a separator at a place, the separator, and what is behind it.
PyObject* cut_at(PyObject* op, PyObject* separator, size_t place) {
    const std::string_view text = text_in(op);
    return triple(text::new_text(text.substr(0, place)), Py_NewRef(separator),
                  text::new_text(text.substr(place + text_in(separator).size())));
}

bool check_separator(PyObject* op, PyObject* separator) {
    if (!text::require_str(op) || !text::require_str(separator)) {
        return false;
    }
    if (text_in(separator).empty()) {
        PyErr_SetString(PyExc_ValueError, "empty separator");
        return false;
    }
    return true;
}

bool check_affix(const char* name, PyObject* affix) {
    if (!PyUnicode_Check(affix)) {
        PyErr_Format(PyExc_TypeError, "%s() argument must be str, not %.50s", name,
                     affix == Py_None ? "None" : Py_TYPE(affix)->tp_name);
        return false;
    }
    return true;
}

}  // namespace

PyObject* PyUnicode_Partition(PyObject* op, PyObject* separator) {
    if (!check_separator(op, separator)) {
        return nullptr;
    }
    const size_t place = text_in(op).find(text_in(separator));
    return place == std::string_view::npos
               ? triple(PyUnicode_FromObject(op), text::new_text({}), text::new_text({}))
               : cut_at(op, separator, place);
}

PyObject* PyUnicode_RPartition(PyObject* op, PyObject* separator) {
    if (!check_separator(op, separator)) {
        return nullptr;
    }
    const size_t place = text_in(op).rfind(text_in(separator));
    return place == std::string_view::npos
               ? triple(text::new_text({}), text::new_text({}), PyUnicode_FromObject(op))
               : cut_at(op, separator, place);
}

namespace ouro::text {

PyObject* unicode_strip(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    return strip("strip", Ends::kBoth, op, args, nargs);
}

PyObject* unicode_lstrip(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    return strip("lstrip", Ends::kLeft, op, args, nargs);
}

PyObject* unicode_rstrip(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    return strip("rstrip", Ends::kRight, op, args, nargs);
}

PyObject* unicode_center(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    Py_ssize_t missing;
    std::string_view fill;
    if (!take_padding("center", op, args, nargs, &missing, &fill)) {
        return nullptr;
    }
    // Of an odd number the greater part goes before a text of odd width, as in CPython.
    const Py_ssize_t width = unicode(op)->length + missing;
    const Py_ssize_t before = missing / 2 + (missing & width & 1);
    return padded(op, before, missing - before, fill);
}

PyObject* unicode_ljust(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    Py_ssize_t missing;
    std::string_view fill;
    return take_padding("ljust", op, args, nargs, &missing, &fill) ? padded(op, 0, missing, fill)
                                                                   : nullptr;
}

PyObject* unicode_rjust(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    Py_ssize_t missing;
    std::string_view fill;
    return take_padding("rjust", op, args, nargs, &missing, &fill) ? padded(op, missing, 0, fill)
                                                                   : nullptr;
}

// Zeros go behind a sign.
PyObject* unicode_zfill(PyObject* op, PyObject* width) {
    Py_ssize_t wanted;
    if (!call::take_ssize(width, &wanted)) {
        return nullptr;
    }
    if (wanted <= unicode(op)->length) {
        return PyUnicode_FromObject(op);
    }
    const std::string_view text = text_in(op);
    const size_t sign = !text.empty() && (text.front() == '+' || text.front() == '-') ? 1 : 0;
    TextBuffer out;
    out.append(text.substr(0, sign));
    out.append(static_cast<size_t>(wanted - unicode(op)->length), '0');
    out.append(text.substr(sign));
    return out.to_str();
}

PyObject* unicode_expandtabs(PyObject* op, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"tabsize", nullptr};
    int size = 8;
    if (PyArg_ParseTupleAndKeywords(args, kwargs, "|i:expandtabs", names, &size) == 0) {
        return nullptr;
    }
    TextBuffer out;
    Py_ssize_t column = 0;
    for (const char c : text_in(op)) {
        if (c == '\t') {
            const Py_ssize_t spaces = size > 0 ? size - column % size : 0;
            out.append(static_cast<size_t>(spaces), ' ');
            column += spaces;
        } else {
            out.append(c);
            column = c == '\n' || c == '\r' ? 0 : column + (utf8::is_continuation(c) ? 0 : 1);
        }
    }
    return out.to_str();
}

PyObject* unicode_partition(PyObject* op, PyObject* separator) {
    return PyUnicode_Partition(op, separator);
}

PyObject* unicode_rpartition(PyObject* op, PyObject* separator) {
    return PyUnicode_RPartition(op, separator);
}

PyObject* unicode_removeprefix(PyObject* op, PyObject* prefix) {
    if (!check_affix("removeprefix", prefix)) {
        return nullptr;
    }
    std::string_view text = text_in(op);
    text.remove_prefix(text.starts_with(text_in(prefix)) ? text_in(prefix).size() : 0);
    return part_of(op, text);
}

PyObject* unicode_removesuffix(PyObject* op, PyObject* suffix) {
    if (!check_affix("removesuffix", suffix)) {
        return nullptr;
    }
    std::string_view text = text_in(op);
    text.remove_suffix(text.ends_with(text_in(suffix)) ? text_in(suffix).size() : 0);
    return part_of(op, text);
}

}  // namespace ouro::text
