// bytes: methods that cut at the ends, or fill them up.
#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/text/bytes.hpp"
#include "core/builtins/text/bytes_methods.hpp"
#include "core/builtins/text/text_buffer.hpp"

using namespace ouro;
using text::bytes_in;

namespace {

constexpr std::string_view kSpace = " \t\n\r\v\f";

PyObject* strip(const char* name, bool left, bool right, PyObject* op, PyObject* const* args,
                Py_ssize_t nargs) {
    if (!call::check_count(name, nargs, 0, 1)) {
        return nullptr;
    }
    text::BytesArgument argument;
    const bool is_given = nargs > 0 && args[0] != Py_None;
    if (is_given && !argument.take(args[0])) {
        return nullptr;
    }
    const std::string_view drop = is_given ? argument.content() : kSpace;
    std::string_view content = bytes_in(op);
    if (left) {
        content.remove_prefix(std::min(content.find_first_not_of(drop), content.size()));
    }
    if (right) {
        content = content.substr(0, content.find_last_not_of(drop) + 1);
    }
    return text::part_of_bytes(op, content);
}

// How much is missing to a width, and the byte that is to fill it. False with an exception.
bool take_padding(const char* name, PyObject* op, PyObject* const* args, Py_ssize_t nargs,
                  size_t* missing, char* fill) {
    Py_ssize_t width;
    if (!call::check_count(name, nargs, 1, 2) || !call::take_ssize(args[0], &width)) {
        return false;
    }
    *missing = width > Py_SIZE(op) ? static_cast<size_t>(width - Py_SIZE(op)) : 0;
    *fill = ' ';
    if (nargs < 2) {
        return true;
    }
    if (!PyBytes_Check(args[1]) || Py_SIZE(args[1]) != 1) {
        PyErr_Format(PyExc_TypeError,
                     "%s() argument 2 must be a byte string of length 1, not %.50s", name,
                     args[1] == Py_None ? "None" : Py_TYPE(args[1])->tp_name);
        return false;
    }
    *fill = bytes_in(args[1])[0];
    return true;
}

PyObject* padded(PyObject* op, size_t before, size_t behind, char fill) {
    if (before == 0 && behind == 0) {
        return text::part_of_bytes(op, bytes_in(op));
    }
    text::TextBuffer out;
    out.append(before, fill);
    out.append(bytes_in(op));
    out.append(behind, fill);
    return out.to_bytes();
}

}  // namespace

namespace ouro::text {

PyObject* bytes_strip(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    return strip("strip", true, true, op, args, nargs);
}

PyObject* bytes_lstrip(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    return strip("lstrip", true, false, op, args, nargs);
}

PyObject* bytes_rstrip(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    return strip("rstrip", false, true, op, args, nargs);
}

PyObject* bytes_center(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    size_t missing;
    char fill;
    if (!take_padding("center", op, args, nargs, &missing, &fill)) {
        return nullptr;
    }
    // Of an odd number the greater part goes before content of even length, as in CPython.
    const size_t width = static_cast<size_t>(Py_SIZE(op)) + missing;
    const size_t before = missing / 2 + (missing & width & 1);
    return padded(op, before, missing - before, fill);
}

PyObject* bytes_ljust(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    size_t missing;
    char fill;
    return take_padding("ljust", op, args, nargs, &missing, &fill) ? padded(op, 0, missing, fill)
                                                                   : nullptr;
}

PyObject* bytes_rjust(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    size_t missing;
    char fill;
    return take_padding("rjust", op, args, nargs, &missing, &fill) ? padded(op, missing, 0, fill)
                                                                   : nullptr;
}

// Zeros go behind a sign.
PyObject* bytes_zfill(PyObject* op, PyObject* width) {
    Py_ssize_t wanted;
    if (!call::take_ssize(width, &wanted)) {
        return nullptr;
    }
    const std::string_view content = bytes_in(op);
    if (wanted <= Py_SIZE(op)) {
        return part_of_bytes(op, content);
    }
    const size_t sign = !content.empty() && (content[0] == '+' || content[0] == '-') ? 1 : 0;
    TextBuffer out;
    out.append(content.substr(0, sign));
    out.append(static_cast<size_t>(wanted - Py_SIZE(op)), '0');
    out.append(content.substr(sign));
    return out.to_bytes();
}

PyObject* bytes_removeprefix(PyObject* op, PyObject* prefix) {
    BytesArgument part;
    if (!part.take(prefix)) {
        return nullptr;
    }
    std::string_view content = bytes_in(op);
    content.remove_prefix(content.starts_with(part.content()) ? part.content().size() : 0);
    return part_of_bytes(op, content);
}

PyObject* bytes_removesuffix(PyObject* op, PyObject* suffix) {
    BytesArgument part;
    if (!part.take(suffix)) {
        return nullptr;
    }
    std::string_view content = bytes_in(op);
    content.remove_suffix(content.ends_with(part.content()) ? part.content().size() : 0);
    return part_of_bytes(op, content);
}

}  // namespace ouro::text
