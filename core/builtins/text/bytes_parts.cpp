// bytes: methods that cut them in parts.
#include <algorithm>

#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/text/bytes.hpp"
#include "core/builtins/text/bytes_methods.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using text::bytes_in;

namespace {

constexpr std::string_view kSpace = " \t\n\r\v\f";

// Appends a part to a list; false with MemoryError.
bool add(PyObject* list, std::string_view part) {
    const object::Own made(text::new_bytes(part));
    return made && PyList_Append(list, made.get()) == 0;
}

bool split_at_space(PyObject* list, std::string_view content, size_t most) {
    const auto skip = [&content] {
        content.remove_prefix(std::min(content.find_first_not_of(kSpace), content.size()));
    };
    skip();
    for (; most > 0 && !content.empty(); --most) {
        const size_t end = std::min(content.find_first_of(kSpace), content.size());
        if (!add(list, content.substr(0, end))) {
            return false;
        }
        content.remove_prefix(end);
        skip();
    }
    return content.empty() || add(list, content);
}

bool split_at_space_from_end(PyObject* list, std::string_view content, size_t most) {
    const auto skip = [&content] {
        content = content.substr(0, content.find_last_not_of(kSpace) + 1);
    };
    skip();
    for (; most > 0 && !content.empty(); --most) {
        const size_t begin = content.find_last_of(kSpace) + 1;
        if (!add(list, content.substr(begin))) {
            return false;
        }
        content = content.substr(0, begin);
        skip();
    }
    return content.empty() || add(list, content);
}

bool split_at(PyObject* list, std::string_view content, std::string_view separator, size_t most) {
    for (; most > 0; --most) {
        const size_t place = content.find(separator);
        if (place == std::string_view::npos) {
            break;
        }
        if (!add(list, content.substr(0, place))) {
            return false;
        }
        content.remove_prefix(place + separator.size());
    }
    return add(list, content);
}

bool split_at_from_end(PyObject* list, std::string_view content, std::string_view separator,
                       size_t most) {
    for (; most > 0; --most) {
        const size_t place = content.rfind(separator);
        if (place == std::string_view::npos) {
            break;
        }
        if (!add(list, content.substr(place + separator.size()))) {
            return false;
        }
        content = content.substr(0, place);
    }
    return add(list, content);
}

PyObject* split(const char* name, bool from_end, PyObject* op, PyObject* args, PyObject* kwargs) {
    PyObject* given[2] = {Py_None, nullptr};
    Py_ssize_t most = -1;
    text::BytesArgument argument;
    if (!call::take_arguments(name, {"sep", "maxsplit"}, args, kwargs, given) ||
        (given[1] != nullptr && !call::take_ssize(given[1], &most)) ||
        (given[0] != Py_None && !argument.take(given[0]))) {
        return nullptr;
    }
    const std::string_view separator = argument.content();
    if (given[0] != Py_None && separator.empty()) {
        PyErr_SetString(PyExc_ValueError, "empty separator");
        return nullptr;
    }
    const auto cuts = static_cast<size_t>(most < 0 ? PY_SSIZE_T_MAX : most);
    object::Own list(PyList_New(0));
    if (!list) {
        return nullptr;
    }
    const std::string_view content = bytes_in(op);
    bool good;
    if (given[0] == Py_None) {
        good = from_end ? split_at_space_from_end(list.get(), content, cuts)
                        : split_at_space(list.get(), content, cuts);
    } else {
        good = from_end ? split_at_from_end(list.get(), content, separator, cuts)
                        : split_at(list.get(), content, separator, cuts);
    }
    if (!good || (from_end && PyList_Reverse(list.get()) < 0)) {
        return nullptr;
    }
    return list.release();
}

// What is before, at and behind a separator; of an empty one ValueError.
PyObject* partition(PyObject* op, PyObject* separator, bool from_end) {
    text::BytesArgument argument;
    if (!argument.take(separator)) {
        return nullptr;
    }
    const std::string_view part = argument.content();
    if (part.empty()) {
        PyErr_SetString(PyExc_ValueError, "empty separator");
        return nullptr;
    }
    const std::string_view content = bytes_in(op);
    const size_t place = from_end ? content.rfind(part) : content.find(part);
    const bool found = place != std::string_view::npos;
    const std::string_view all = text::bytes_in(op);
    const std::string_view before = found ? all.substr(0, place) : from_end ? "" : all;
    const std::string_view behind = found ? all.substr(place + part.size()) : from_end ? all : "";
    const object::Own first(text::new_bytes(before));
    const object::Own middle(found ? Py_NewRef(separator) : text::new_bytes(""));
    const object::Own last(text::new_bytes(behind));
    return first && middle && last ? PyTuple_Pack(3, first.get(), middle.get(), last.get())
                                   : nullptr;
}

}  // namespace

namespace ouro::text {

PyObject* bytes_split(PyObject* op, PyObject* args, PyObject* kwargs) {
    return split("split", false, op, args, kwargs);
}

PyObject* bytes_rsplit(PyObject* op, PyObject* args, PyObject* kwargs) {
    return split("rsplit", true, op, args, kwargs);
}

PyObject* bytes_splitlines(PyObject* op, PyObject* args, PyObject* kwargs) {
    PyObject* keep = nullptr;
    Py_ssize_t keep_ends = 0;
    if (!call::take_arguments("splitlines", {"keepends"}, args, kwargs, &keep) ||
        (keep != nullptr && !call::take_ssize(keep, &keep_ends))) {
        return nullptr;
    }
    object::Own list(PyList_New(0));
    std::string_view content = bytes_in(op);
    while (list && !content.empty()) {
        const size_t line = std::min(content.find_first_of("\r\n"), content.size());
        const size_t whole =
            std::min(line + (content.substr(line).starts_with("\r\n") ? 2 : 1), content.size());
        if (!add(list.get(), content.substr(0, keep_ends != 0 ? whole : line))) {
            return nullptr;
        }
        content.remove_prefix(whole);
    }
    return list.release();
}

PyObject* bytes_partition(PyObject* op, PyObject* separator) {
    return partition(op, separator, false);
}

PyObject* bytes_rpartition(PyObject* op, PyObject* separator) {
    return partition(op, separator, true);
}

}  // namespace ouro::text
