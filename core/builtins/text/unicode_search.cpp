// str: what is where in a text. UTF-8 is searched as bytes: a text is found only where a code point
// begins.
#include <algorithm>
#include <string_view>

#include "core/builtins/text/text_buffer.hpp"
#include "core/builtins/text/unicode.hpp"

using namespace ouro;
using text::text_in;
using text::unicode;

namespace {

// A range of code points as bytes, and where it begins.
struct Window {
    std::string_view text;
    Py_ssize_t start;
    bool ascii;

    // The number, in the whole text, of the code point at a byte of the window.
    Py_ssize_t index_of(size_t byte) const {
        return start +
               static_cast<Py_ssize_t>(ascii ? byte : text::utf8::count(text.substr(0, byte)));
    }
};

// False if the range ends before it begins.
bool window_of(PyObject* op, Py_ssize_t start, Py_ssize_t end, Window* window) {
    const text::Range range = text::adjusted(start, end, unicode(op)->length);
    if (range.start > range.end) {
        return false;
    }
    const bool ascii = text::is_ascii(op);
    std::string_view text = text_in(op);
    const auto bytes = [&text, ascii](Py_ssize_t index) {
        const auto count = static_cast<size_t>(index);
        return ascii ? count : text::utf8::offset_of(text, count);
    };
    text.remove_prefix(bytes(range.start));
    *window = {text.substr(0, bytes(range.end - range.start)), range.start, ascii};
    return true;
}

Py_ssize_t find(PyObject* op, std::string_view part, Py_ssize_t start, Py_ssize_t end,
                int direction) {
    Window window;
    if (!window_of(op, start, end, &window)) {
        return -1;
    }
    const size_t place = direction < 0 ? window.text.rfind(part) : window.text.find(part);
    return place == std::string_view::npos ? -1 : window.index_of(place);
}

// How often part is in text, `most` times at most.
size_t count_in(std::string_view text, std::string_view part, size_t most) {
    if (part.empty()) {
        return std::min(text::utf8::count(text) + 1, most);
    }
    size_t count = 0;
    for (size_t at = 0; count < most && (at = text.find(part, at)) != std::string_view::npos;
         at += part.size()) {
        ++count;
    }
    return count;
}

}  // namespace

text::Range text::adjusted(Py_ssize_t start, Py_ssize_t end, Py_ssize_t length) {
    const auto from_end = [length](Py_ssize_t index) {
        return index < 0 ? std::max<Py_ssize_t>(index + length, 0) : index;
    };
    return {from_end(start), std::min(from_end(end), length)};
}

Py_ssize_t PyUnicode_Find(PyObject* op, PyObject* part, Py_ssize_t start, Py_ssize_t end,
                          int direction) {
    if (!text::require_str(op) || !text::require_str(part)) {
        return -2;
    }
    return find(op, text_in(part), start, end, direction);
}

Py_ssize_t PyUnicode_FindChar(PyObject* op, Py_UCS4 ch, Py_ssize_t start, Py_ssize_t end,
                              int direction) {
    if (ch > text::utf8::kLast) {
        return -1;
    }
    char bytes[text::utf8::kMostBytes];
    return find(op, {bytes, text::utf8::put(ch, bytes)}, start, end, direction);
}

Py_ssize_t PyUnicode_Count(PyObject* op, PyObject* part, Py_ssize_t start, Py_ssize_t end) {
    if (!text::require_str(op) || !text::require_str(part)) {
        return -1;
    }
    Window window;
    if (!window_of(op, start, end, &window)) {
        return 0;
    }
    return static_cast<Py_ssize_t>(count_in(window.text, text_in(part), PY_SSIZE_T_MAX));
}

Py_ssize_t PyUnicode_Tailmatch(PyObject* op, PyObject* part, Py_ssize_t start, Py_ssize_t end,
                               int direction) {
    if (!text::require_str(op) || !text::require_str(part)) {
        return -1;
    }
    Window window;
    if (!window_of(op, start, end, &window)) {
        return 0;
    }
    return direction > 0 ? window.text.ends_with(text_in(part))
                         : window.text.starts_with(text_in(part));
}

int PyUnicode_Contains(PyObject* op, PyObject* part) {
    if (!PyUnicode_Check(part)) {
        PyErr_Format(PyExc_TypeError, "'in <string>' requires string as left operand, not %.100s",
                     Py_TYPE(part)->tp_name);
        return -1;
    }
    if (!text::require_str(op)) {
        return -1;
    }
    return text_in(op).find(text_in(part)) != std::string_view::npos;
}

PyObject* PyUnicode_Replace(PyObject* op, PyObject* old, PyObject* with, Py_ssize_t most) {
    if (!text::require_str(op) || !text::require_str(old) || !text::require_str(with)) {
        return nullptr;
    }
    const std::string_view text = text_in(op);
    const std::string_view part = text_in(old);
    size_t left = count_in(text, part, static_cast<size_t>(most < 0 ? PY_SSIZE_T_MAX : most));
    if (left == 0 || part == text_in(with)) {
        return PyUnicode_FromObject(op);
    }
    text::TextBuffer out;
    size_t done = 0;
    for (; left > 0 && !out.failed(); --left) {
        // Where part is empty: here, and then behind the next code point.
        const size_t place = text.find(part, done);
        out.append(text.substr(done, place - done));
        out.append(text_in(with));
        done = place + part.size();
        if (part.empty() && left > 1) {
            const size_t next = text::utf8::length_of(text[done]);
            out.append(text.substr(done, next));
            done += next;
        }
    }
    out.append(text.substr(done));
    return out.to_str();
}
