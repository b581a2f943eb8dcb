// bytes: as hexadecimal digits, and from them.
#include <cctype>

#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/text/bytes.hpp"
#include "core/builtins/text/bytes_methods.hpp"
#include "core/builtins/text/text_buffer.hpp"
#include "core/builtins/text/unicode.hpp"

using namespace ouro;
using text::bytes_in;

namespace {

// The separator of hex(): one ASCII character. False with an exception.
bool take_separator(PyObject* op, char* separator) {
    const Py_ssize_t length = PyObject_Size(op);
    if (length < 0) {
        return false;
    }
    if (length != 1) {
        PyErr_SetString(PyExc_ValueError, "sep must be length 1.");
        return false;
    }
    if (!PyUnicode_Check(op) && !PyBytes_Check(op)) {
        PyErr_SetString(PyExc_TypeError, "sep must be str or bytes.");
        return false;
    }
    *separator = PyUnicode_Check(op) ? text::text_in(op)[0] : bytes_in(op)[0];
    if (static_cast<unsigned char>(*separator) > 0x7F) {
        PyErr_SetString(PyExc_ValueError, "sep must be ASCII.");
        return false;
    }
    return true;
}

bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

}  // namespace

// hex(sep, bytes_per_sep=1): groups are counted from the end, if their size is negative from the beginning.
PyObject* text::bytes_hex(PyObject* op, PyObject* args, PyObject* kwargs) {
    PyObject* given[2] = {};
    char separator = 0;
    Py_ssize_t group = 1;
    if (!call::take_arguments("hex", {"sep", "bytes_per_sep"}, args, kwargs, given) ||
        (given[0] != nullptr && !take_separator(given[0], &separator)) ||
        (given[1] != nullptr && !call::take_ssize(given[1], &group))) {
        return nullptr;
    }
    const std::string_view content = bytes_in(op);
    const auto size = static_cast<size_t>(group < 0 ? -group : group);
    const size_t first = group > 0 && size > 0 ? content.size() % size : 0;
    TextBuffer out;
    for (size_t i = 0; i < content.size(); ++i) {
        if (given[0] != nullptr && size > 0 && i > 0 && (i + size - first) % size == 0) {
            out.append(separator);
        }
        const auto byte = static_cast<unsigned char>(content[i]);
        constexpr char digits[] = "0123456789abcdef";
        out.append(digits[byte >> 4]);
        out.append(digits[byte & 15]);
    }
    return out.to_str();
}

PyObject* text::bytes_fromhex(PyObject* type, PyObject* op) {
    if (!PyUnicode_Check(op)) {
        return PyErr_Format(PyExc_TypeError, "fromhex() argument must be str, not %.50s",
                            op == Py_None ? "None" : Py_TYPE(op)->tp_name);
    }
    const std::string_view text = text_in(op);
    TextBuffer out;
    for (size_t i = 0; i < text.size();) {
        if (is_space(text[i])) {
            ++i;
            continue;
        }
        const int high = text::hex_value(text[i]);
        const int low = high < 0 || i + 1 >= text.size() ? -1 : text::hex_value(text[i + 1]);
        if (low < 0) {
            const size_t place = text::utf8::count(text.substr(0, high < 0 ? i : i + 1));
            return PyErr_Format(PyExc_ValueError,
                                "non-hexadecimal number found in fromhex() arg at position %zd",
                                static_cast<Py_ssize_t>(place));
        }
        out.append(static_cast<char>(high << 4 | low));
        i += 2;
    }
    PyObject* made = out.to_bytes();
    if (made != nullptr && type != reinterpret_cast<PyObject*>(&PyBytes_Type)) {
        PyObject* instance = PyObject_CallOneArg(type, made);
        Py_SETREF(made, instance);
    }
    return made;
}
