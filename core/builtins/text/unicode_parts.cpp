// str: texts made of parts of others.
#include <cstring>
#include <string_view>

#include "core/builtins/container/iterate.hpp"
#include "core/builtins/container/slice.hpp"
#include "core/builtins/text/text_buffer.hpp"
#include "core/builtins/text/text_parts.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/builtins/text/unicode_case.hpp"

using namespace ouro;
using text::ends_line;
using text::is_space;
using text::text_in;
using text::unicode;

namespace {

// Where the first code point is that is white space, or is not, from p on.
const char* find_space(const char* p, const char* end, bool space) {
    for (const char* ahead = p; p < end && is_space(text::utf8::next(&ahead)) != space;) {
        p = ahead;
    }
    return p;
}

PyObject* split_at_space(std::string_view text, size_t most) {
    text::TextParts parts;
    const char* const end = text.data() + text.size();
    const char* p = find_space(text.data(), end, false);
    for (; p < end && most > 0; --most) {
        const char* const space = find_space(p, end, true);
        parts.add(p, space);
        p = find_space(space, end, false);
    }
    if (p < end) {
        parts.add(p, end);
    }
    return parts.take();
}

PyObject* split_at(std::string_view text, std::string_view separator, size_t most) {
    text::TextParts parts;
    size_t done = 0;
    for (size_t place; most > 0 && (place = text.find(separator, done)) != std::string_view::npos;
         --most) {
        parts.add(text.substr(done, place - done));
        done = place + separator.size();
    }
    parts.add(text.substr(done));
    return parts.take();
}

// Where what ends at p, and is white space, or is not, begins.
const char* find_space_before(const char* p, const char* begin, bool space) {
    while (p > begin) {
        const char* before = p - 1;
        while (text::utf8::is_continuation(*before)) {
            --before;
        }
        const char* ahead = before;
        if (is_space(text::utf8::next(&ahead)) == space) {
            break;
        }
        p = before;
    }
    return p;
}

PyObject* split_from_end_at_space(std::string_view text, size_t most) {
    text::TextParts parts;
    const char* const begin = text.data();
    const char* p = find_space_before(begin + text.size(), begin, false);
    for (; p > begin && most > 0; --most) {
        const char* const space = find_space_before(p, begin, true);
        parts.add(space, p);
        p = find_space_before(space, begin, false);
    }
    if (p > begin) {
        parts.add(begin, p);
    }
    parts.reverse();
    return parts.take();
}

PyObject* split_from_end_at(std::string_view text, std::string_view separator, size_t most) {
    text::TextParts parts;
    for (size_t place; most > 0 && (place = text.rfind(separator)) != std::string_view::npos;
         --most) {
        parts.add(text.substr(place + separator.size()));
        text = text.substr(0, place);
    }
    parts.add(text);
    parts.reverse();
    return parts.take();
}

// What both splits do with their arguments. nullptr as the separator: white space.
template <class AtSpace, class At>
PyObject* split(PyObject* op, PyObject* separator, Py_ssize_t most, AtSpace at_space, At at) {
    if (!text::require_str(op) || (separator != nullptr && !text::require_str(separator))) {
        return nullptr;
    }
    const auto cuts = static_cast<size_t>(most < 0 ? PY_SSIZE_T_MAX : most);
    if (separator == nullptr) {
        return at_space(text_in(op), cuts);
    }
    if (text_in(separator).empty()) {
        PyErr_SetString(PyExc_ValueError, "empty separator");
        return nullptr;
    }
    return at(text_in(op), text_in(separator), cuts);
}

}  // namespace

PyObject* PyUnicode_Substring(PyObject* op, Py_ssize_t start, Py_ssize_t end) {
    if (!text::require_str_argument(op)) {
        return nullptr;
    }
    if (start < 0 || end < 0) {
        PyErr_SetString(PyExc_IndexError, "string index out of range");
        return nullptr;
    }
    const text::Range range = text::adjusted(start, end, unicode(op)->length);
    if (range.start >= range.end) {
        return text::new_text({});
    }
    if (range.start == 0 && range.end == unicode(op)->length) {
        return PyUnicode_FromObject(op);
    }
    std::string_view text = text_in(op);
    const auto skipped = static_cast<size_t>(range.start);
    const auto count = static_cast<size_t>(range.end - range.start);
    if (text::is_ascii(op)) {
        return text::new_text(text.substr(skipped, count));
    }
    text.remove_prefix(text::utf8::offset_of(text, skipped));
    return text::new_text(text.substr(0, text::utf8::offset_of(text, count)));
}

PyObject* text::unicode_slice(PyObject* op, const container::Stride& stride) {
    if (stride.count == 0) {
        return new_text({});
    }
    if (stride.step == 1) {
        return PyUnicode_Substring(op, stride.start, stride.stop);
    }
    const std::string_view text = text_in(op);
    size_t place = text::utf8::offset_of(text, static_cast<size_t>(stride.start));
    TextBuffer out;
    for (Py_ssize_t left = stride.count; left > 0; --left) {
        out.append(text.substr(place, text::utf8::length_of(text[place])));
        if (left > 1 && stride.step > 0) {
            place += text::utf8::offset_of(text.substr(place), static_cast<size_t>(stride.step));
        }
        for (Py_ssize_t back = stride.step; left > 1 && back < 0; ++back) {
            do {
                --place;
            } while (text::utf8::is_continuation(text[place]));
        }
    }
    return out.to_str();
}

PyObject* PyUnicode_Concat(PyObject* left, PyObject* right) {
    if (!text::require_str(left)) {
        return nullptr;
    }
    if (!PyUnicode_Check(right)) {
        return PyErr_Format(PyExc_TypeError, "can only concatenate str (not \"%.200s\") to str",
                            Py_TYPE(right)->tp_name);
    }
    if (text_in(left).empty()) {
        return PyUnicode_FromObject(right);
    }
    if (text_in(right).empty()) {
        return PyUnicode_FromObject(left);
    }
    const std::string_view first = text_in(left);
    const std::string_view second = text_in(right);
    PyObject* op = text::allocate_text(first.size() + second.size());
    if (op == nullptr) {
        return nullptr;
    }
    std::memcpy(unicode(op)->utf8, first.data(), first.size());
    std::memcpy(unicode(op)->utf8 + first.size(), second.data(), second.size());
    return text::complete_text(
        op, {static_cast<size_t>(unicode(left)->length + unicode(right)->length),
             (unicode(left)->has_surrogates | unicode(right)->has_surrogates) != 0});
}

void PyUnicode_Append(PyObject** left, PyObject* right) {
    if (left == nullptr || *left == nullptr || right == nullptr || !PyUnicode_Check(*left) ||
        !PyUnicode_Check(right)) {
        if (PyErr_Occurred() == nullptr) {
            PyErr_BadInternalCall();
        }
        if (left != nullptr) {
            Py_CLEAR(*left);
        }
        return;
    }
    PyObject* old = *left;
    *left = PyUnicode_Concat(old, right);
    Py_DECREF(old);
}

void PyUnicode_AppendAndDel(PyObject** left, PyObject* right) {
    PyUnicode_Append(left, right);
    Py_XDECREF(right);
}

PyObject* PyUnicode_Join(PyObject* separator, PyObject* sequence) {
    PyObject* items = container::items_of_iterable(sequence, "can only join an iterable");
    if (items == nullptr) {
        return nullptr;
    }
    const Py_ssize_t count = container::count_of(items);
    if (count > 1 && separator != nullptr && !PyUnicode_Check(separator)) {
        PyErr_Format(PyExc_TypeError, "separator: expected str instance, %.80s found",
                     Py_TYPE(separator)->tp_name);
        Py_DECREF(items);
        return nullptr;
    }
    text::TextBuffer out;
    bool good = true;
    for (Py_ssize_t i = 0; i < count && good; ++i) {
        PyObject* item = container::item_of(items, i);
        if (!PyUnicode_Check(item)) {
            PyErr_Format(PyExc_TypeError, "sequence item %zd: expected str instance, %.80s found",
                         i, Py_TYPE(item)->tp_name);
            good = false;
            break;
        }
        if (i > 0) {
            out.append(separator == nullptr ? " " : text_in(separator));
        }
        out.append(text_in(item));
    }
    PyObject* only = count == 1 ? container::item_of(items, 0) : nullptr;
    PyObject* joined = !good                                           ? nullptr
                       : only != nullptr && PyUnicode_CheckExact(only) ? Py_NewRef(only)
                                                                       : out.to_str();
    Py_DECREF(items);
    return joined;
}

PyObject* PyUnicode_Split(PyObject* op, PyObject* separator, Py_ssize_t most) {
    return split(op, separator, most, split_at_space, split_at);
}

PyObject* PyUnicode_RSplit(PyObject* op, PyObject* separator, Py_ssize_t most) {
    return split(op, separator, most, split_from_end_at_space, split_from_end_at);
}

PyObject* PyUnicode_Splitlines(PyObject* op, int keep_ends) {
    if (!text::require_str(op)) {
        return nullptr;
    }
    text::TextParts parts;
    const char* p = text::text_in(op).data();
    const char* const end = p + unicode(op)->size;
    for (const char* begin = p; p < end; begin = p) {
        const char* line_end = p;
        char32_t c = 0;
        while (p < end && !ends_line(c = text::utf8::next(&p))) {
            line_end = p;
        }
        if (c == '\r' && p < end && *p == '\n') {
            ++p;
        }
        parts.add(begin, keep_ends != 0 ? p : line_end);
    }
    return parts.take();
}
