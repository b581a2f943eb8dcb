// bytes: searching, joining and ASCII letters as methods, and the table of all methods.
#include <algorithm>
#include <utility>

#include "core/builtins/text/bytes_methods.hpp"

#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/container/iterate.hpp"
#include "core/builtins/text/bytes.hpp"
#include "core/builtins/text/text_buffer.hpp"
#include "core/builtins/text/unicode_methods.hpp"

using namespace ouro;
using text::bytes_in;
using text::TextBuffer;

namespace {

// What is looked for: bytes, kept in *argument, or the one byte that an int is, which is then kept in *byte.
bool take_part(PyObject* op, text::BytesArgument* argument, std::string_view* part, char* byte) {
    if (PyObject_CheckBuffer(op) != 0) {
        if (!argument->take(op)) {
            return false;
        }
        *part = argument->content();
        return true;
    }
    if (PyIndex_Check(op) == 0) {
        PyErr_Format(PyExc_TypeError,
                     "argument should be integer or bytes-like object, not '%.200s'",
                     Py_TYPE(op)->tp_name);
        return false;
    }
    if (!text::byte_of(op, "byte must be in range(0, 256)", byte)) {
        return false;
    }
    *part = {byte, 1};
    return true;
}

// The bytes from start up to end, as slices have it, and where they begin. False if the range ends before it
// begins.
bool window_of(PyObject* op, Py_ssize_t start, Py_ssize_t end, std::string_view* window,
               Py_ssize_t* begin) {
    const Py_ssize_t size = Py_SIZE(op);
    const auto from_end = [size](Py_ssize_t index) {
        return index < 0 ? std::max<Py_ssize_t>(index + size, 0) : index;
    };
    *begin = from_end(start);
    const Py_ssize_t last = std::min(from_end(end), size);
    if (*begin > last) {
        return false;
    }
    *window = bytes_in(op).substr(static_cast<size_t>(*begin), static_cast<size_t>(last - *begin));
    return true;
}

// The arguments of a search: false with an exception.
struct Search {
    text::BytesArgument argument;
    std::string_view part, window;
    char byte;
    Py_ssize_t begin;
    bool is_range;

    bool take(const char* name, PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
        Py_ssize_t start, end;
        if (!text::take_search(name, args, nargs, &start, &end) ||
            !take_part(args[0], &argument, &part, &byte)) {
            return false;
        }
        is_range = window_of(op, start, end, &window, &begin);
        return true;
    }
    Py_ssize_t place(bool from_end) const {
        const size_t found = !is_range  ? std::string_view::npos
                             : from_end ? window.rfind(part)
                                        : window.find(part);
        return found == std::string_view::npos ? -1 : begin + static_cast<Py_ssize_t>(found);
    }
};

PyObject* find(const char* name, bool from_end, PyObject* op, PyObject* const* args,
               Py_ssize_t nargs) {
    Search search;
    return search.take(name, op, args, nargs) ? PyLong_FromSsize_t(search.place(from_end))
                                              : nullptr;
}

PyObject* index(const char* name, bool from_end, PyObject* op, PyObject* const* args,
                Py_ssize_t nargs) {
    Search search;
    if (!search.take(name, op, args, nargs)) {
        return nullptr;
    }
    const Py_ssize_t place = search.place(from_end);
    if (place < 0) {
        PyErr_SetString(PyExc_ValueError, "subsection not found");
        return nullptr;
    }
    return PyLong_FromSsize_t(place);
}

// How often part is in content, `most` times at most; an empty one is before, between and behind all bytes.
size_t count_in(std::string_view content, std::string_view part, size_t most) {
    if (part.empty()) {
        return std::min(content.size() + 1, most);
    }
    size_t count = 0;
    for (size_t at = 0; count < most && (at = content.find(part, at)) != std::string_view::npos;
         at += part.size()) {
        ++count;
    }
    return count;
}

PyObject* count(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    Search search;
    if (!search.take("count", op, args, nargs)) {
        return nullptr;
    }
    return PyLong_FromSize_t(search.is_range ? count_in(search.window, search.part, PY_SSIZE_T_MAX)
                                             : 0);
}

// startswith and endswith, of bytes or a tuple of them.
PyObject* matches(const char* name, bool at_end, PyObject* op, PyObject* const* args,
                  Py_ssize_t nargs) {
    Py_ssize_t start, end, begin;
    if (!text::take_search(name, args, nargs, &start, &end)) {
        return nullptr;
    }
    std::string_view window;
    const bool is_range = window_of(op, start, end, &window, &begin);
    const auto matches_one = [&](std::string_view part) {
        return is_range && (at_end ? window.ends_with(part) : window.starts_with(part));
    };
    text::BytesArgument part;
    if (!PyTuple_Check(args[0])) {
        if (PyObject_CheckBuffer(args[0]) == 0) {
            return PyErr_Format(PyExc_TypeError,
                                "%s first arg must be bytes or a tuple of bytes, not %.100s", name,
                                Py_TYPE(args[0])->tp_name);
        }
        return part.take(args[0]) ? PyBool_FromLong(matches_one(part.content())) : nullptr;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args[0]); ++i) {
        if (!part.take(PyTuple_GET_ITEM(args[0], i))) {
            return nullptr;
        }
        if (matches_one(part.content())) {
            return Py_NewRef(Py_True);
        }
    }
    return Py_NewRef(Py_False);
}

PyObject* replace(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    text::BytesArgument old, by;
    Py_ssize_t most = -1;
    if (!call::check_count("replace", nargs, 2, 3) || !old.take(args[0]) || !by.take(args[1]) ||
        (nargs > 2 && !call::take_ssize(args[2], &most))) {
        return nullptr;
    }
    const std::string_view part = old.content();
    const std::string_view with = by.content();
    const std::string_view content = bytes_in(op);
    size_t left = count_in(content, part, static_cast<size_t>(most < 0 ? PY_SSIZE_T_MAX : most));
    if (left == 0) {
        return text::part_of_bytes(op, content);
    }
    TextBuffer out;
    size_t done = 0;
    for (; left > 0 && !out.failed(); --left) {
        // Where part is empty: here, and then behind the next byte.
        const size_t place = content.find(part, done);
        out.append(content.substr(done, place - done));
        out.append(with);
        done = place + part.size();
        if (part.empty() && left > 1) {
            out.append(content[done++]);
        }
    }
    out.append(content.substr(done));
    return out.to_bytes();
}

PyObject* join(PyObject* op, PyObject* iterable) {
    PyObject* items = container::items_of_iterable(iterable, "can only join an iterable");
    if (items == nullptr) {
        return nullptr;
    }
    TextBuffer out;
    bool good = true;
    for (Py_ssize_t i = 0; good && i < container::count_of(items); ++i) {
        PyObject* item = container::item_of(items, i);
        text::BytesArgument part;
        good = PyObject_CheckBuffer(item) != 0;
        if (!good) {
            PyErr_Format(PyExc_TypeError,
                         "sequence item %zd: expected a bytes-like object, %.80s found", i,
                         Py_TYPE(item)->tp_name);
            break;
        }
        out.append(i > 0 ? bytes_in(op) : std::string_view());
        good = part.take(item);
        out.append(part.content());
    }
    const bool is_one = good && container::count_of(items) == 1;
    PyObject* only = is_one ? container::item_of(items, 0) : nullptr;
    PyObject* joined = !good                                         ? nullptr
                       : only != nullptr && PyBytes_CheckExact(only) ? Py_NewRef(only)
                                                                     : out.to_bytes();
    Py_DECREF(items);
    return joined;
}

PyObject* decode(PyObject* op, PyObject* args, PyObject* kwargs) {
    PyObject* given[2] = {};
    const char *encoding, *errors;
    if (!call::take_arguments("decode", {"encoding", "errors"}, args, kwargs, given) ||
        !call::take_text("decode", "encoding", given[0], &encoding) ||
        !call::take_text("decode", "errors", given[1], &errors)) {
        return nullptr;
    }
    return PyUnicode_FromEncodedObject(op, encoding == nullptr ? "utf-8" : encoding, errors);
}

bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
bool is_letter(char c) {
    return is_upper(c) || is_lower(c);
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_letter_or_digit(char c) {
    return is_letter(c) || is_digit(c);
}
bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}
bool is_ascii(char c) {
    return static_cast<unsigned char>(c) < 0x80;
}
char to_upper(char c) {
    return static_cast<char>(is_lower(c) ? c - 'a' + 'A' : c);
}
char to_lower(char c) {
    return static_cast<char>(is_upper(c) ? c - 'A' + 'a' : c);
}

// Whether all bytes are of a class; of none as `empty` says.
template <bool (*belongs)(char), bool empty = false>
PyObject* all(PyObject* op, PyObject*) {
    const std::string_view content = bytes_in(op);
    return PyBool_FromLong(content.empty() ? empty : std::ranges::all_of(content, belongs));
}

// Whether there is a letter of one case, and none of the other.
template <bool (*one)(char), bool (*other)(char)>
PyObject* only(PyObject* op, PyObject*) {
    const std::string_view content = bytes_in(op);
    return PyBool_FromLong(std::ranges::any_of(content, one) &&
                           std::ranges::none_of(content, other));
}

// Bytes of each byte as `change` has it.
template <class Change>
PyObject* changed(PyObject* op, Change change) {
    PyObject* made = PyBytes_FromStringAndSize(nullptr, Py_SIZE(op));
    if (made != nullptr) {
        std::ranges::transform(bytes_in(op), PyBytes_AS_STRING(made), change);
    }
    return made;
}

PyObject* upper(PyObject* op, PyObject*) {
    return changed(op, to_upper);
}

PyObject* lower(PyObject* op, PyObject*) {
    return changed(op, to_lower);
}

PyObject* swap_case(PyObject* op, PyObject*) {
    return changed(op, [](char c) { return is_upper(c) ? to_lower(c) : to_upper(c); });
}

PyObject* capitalize(PyObject* op, PyObject*) {
    return changed(op, [first = true](char c) mutable {
        return std::exchange(first, false) ? to_upper(c) : to_lower(c);
    });
}

PyObject* title(PyObject* op, PyObject*) {
    return changed(op, [inside = false](char c) mutable {
        return std::exchange(inside, is_letter(c)) ? to_lower(c) : to_upper(c);
    });
}

// A method that is called by its name and a direction.
using Searching = PyObject* (*)(const char*, bool, PyObject*, PyObject* const*, Py_ssize_t);
template <Searching search, const char* name, bool from_end>
PyObject* bound(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    return search(name, from_end, op, args, nargs);
}

constexpr char kFind[] = "find";
constexpr char kRfind[] = "rfind";
constexpr char kIndex[] = "index";
constexpr char kRindex[] = "rindex";
constexpr char kStartswith[] = "startswith";
constexpr char kEndswith[] = "endswith";

constexpr int kFast = METH_FASTCALL;
constexpr int kNamed = METH_VARARGS | METH_KEYWORDS;

}  // namespace

namespace ouro::text {

PyObject* new_bytes(std::string_view content) {
    return PyBytes_FromStringAndSize(content.data(), static_cast<Py_ssize_t>(content.size()));
}

PyObject* part_of_bytes(PyObject* op, std::string_view part) {
    return part.size() == bytes_in(op).size() && PyBytes_CheckExact(op) ? Py_NewRef(op)
                                                                        : new_bytes(part);
}

bool BytesArgument::take(PyObject* op) {
    PyBuffer_Release(&view_);
    if (PyBytes_Check(op)) {
        content_ = bytes_in(op);
        return true;
    }
    if (PyObject_GetBuffer(op, &view_, PyBUF_SIMPLE) < 0) {
        view_.obj = nullptr;
        return false;
    }
    content_ = {static_cast<const char*>(view_.buf), static_cast<size_t>(view_.len)};
    return true;
}

PyMethodDef bytes_methods[] = {
    {"capitalize", capitalize, METH_NOARGS, "A copy with a capital first."},
    {"center", _PyCFunction_CAST(bytes_center), kFast, "A copy in the middle of a width."},
    {"count", _PyCFunction_CAST(count), kFast, "How often others, or a byte, are in these."},
    {"decode", _PyCFunction_CAST(decode), kNamed, "The str that they are in an encoding."},
    {kEndswith, _PyCFunction_CAST((bound<matches, kEndswith, true>)), kFast,
     "Whether they end with others, or with some of a tuple."},
    {kFind, _PyCFunction_CAST((bound<find, kFind, false>)), kFast, "The first place, or -1."},
    {"fromhex", bytes_fromhex, METH_O | METH_CLASS, "Bytes of hexadecimal digits in a str."},
    {"hex", _PyCFunction_CAST(bytes_hex), kNamed, "A str of hexadecimal digits."},
    {kIndex, _PyCFunction_CAST((bound<index, kIndex, false>)), kFast, "The first place."},
    {"isalnum", all<is_letter_or_digit>, METH_NOARGS, "Whether all are letters or digits."},
    {"isalpha", all<is_letter>, METH_NOARGS, "Whether all are letters."},
    {"isascii", all<is_ascii, true>, METH_NOARGS, "Whether all are ASCII."},
    {"isdigit", all<is_digit>, METH_NOARGS, "Whether all are digits."},
    {"islower", only<is_lower, is_upper>, METH_NOARGS, "Whether all letters are small."},
    {"isspace", all<is_space>, METH_NOARGS, "Whether all are white space."},
    {"isupper", only<is_upper, is_lower>, METH_NOARGS, "Whether all letters are capitals."},
    {"join", join, METH_O, "The bytes of an iterable with these between them."},
    {"ljust", _PyCFunction_CAST(bytes_ljust), kFast, "A copy filled up at its end."},
    {"lower", lower, METH_NOARGS, "A copy in small letters."},
    {"lstrip", _PyCFunction_CAST(bytes_lstrip), kFast, "A copy stripped at its beginning."},
    {"partition", bytes_partition, METH_O, "What is before others, those, what is behind."},
    {"removeprefix", bytes_removeprefix, METH_O, "A copy without others at its beginning."},
    {"removesuffix", bytes_removesuffix, METH_O, "A copy without others at its end."},
    {"replace", _PyCFunction_CAST(replace), kFast, "A copy with some replaced by others."},
    {kRfind, _PyCFunction_CAST((bound<find, kRfind, true>)), kFast, "The last place, or -1."},
    {kRindex, _PyCFunction_CAST((bound<index, kRindex, true>)), kFast, "The last place."},
    {"rjust", _PyCFunction_CAST(bytes_rjust), kFast, "A copy filled up at its beginning."},
    {"rpartition", bytes_rpartition, METH_O, "As partition, at the last place."},
    {"rsplit", _PyCFunction_CAST(bytes_rsplit), kNamed, "As split, cut from the end."},
    {"rstrip", _PyCFunction_CAST(bytes_rstrip), kFast, "A copy stripped at its end."},
    {"split", _PyCFunction_CAST(bytes_split), kNamed, "A list of the parts, cut at others."},
    {"splitlines", _PyCFunction_CAST(bytes_splitlines), kNamed, "A list of the lines."},
    {kStartswith, _PyCFunction_CAST((bound<matches, kStartswith, false>)), kFast,
     "Whether they begin with others, or with some of a tuple."},
    {"strip", _PyCFunction_CAST(bytes_strip), kFast, "A copy stripped at both ends."},
    {"swapcase", swap_case, METH_NOARGS, "A copy with small letters for capitals, and so on."},
    {"title", title, METH_NOARGS, "A copy whose words begin with a capital."},
    {"upper", upper, METH_NOARGS, "A copy in capitals."},
    {"zfill", bytes_zfill, METH_O, "A copy with zeros in front, behind a sign."},
    {}};

}  // namespace ouro::text

PyObject* PyBytes_Join(PyObject* separator, PyObject* iterable) {
    if (separator == nullptr || !PyBytes_Check(separator)) {
        return PyErr_Format(PyExc_TypeError, "sep: expected bytes, got %T", separator);
    }
    return join(separator, iterable);
}
