// str of code points of other widths.
#include <algorithm>
#include <cstdint>
#include <cwchar>

#include "core/builtins/text/text_buffer.hpp"
#include "core/builtins/text/unicode.hpp"

using namespace ouro;

namespace {

// False if one of them is no code point.
template <class Unit>
bool append_units(const Unit* units, Py_ssize_t count, text::TextBuffer* out) {
    return std::all_of(units, units + count, [out](Unit unit) {
        const auto c = static_cast<char32_t>(unit);
        if (c > text::utf8::kLast) {
            return false;
        }
        out->append_code_point(c);
        return true;
    });
}

}  // namespace

PyObject* PyUnicode_FromKindAndData(int kind, const void* data, Py_ssize_t size) {
    if (size < 0) {
        PyErr_SetString(PyExc_ValueError, "size must be positive");
        return nullptr;
    }
    text::TextBuffer out;
    bool good = true;
    switch (kind) {
        case PyUnicode_1BYTE_KIND:
            append_units(static_cast<const Py_UCS1*>(data), size, &out);
            break;
        case PyUnicode_2BYTE_KIND:
            append_units(static_cast<const Py_UCS2*>(data), size, &out);
            break;
        case PyUnicode_4BYTE_KIND:
            good = append_units(static_cast<const Py_UCS4*>(data), size, &out);
            break;
        default:
            PyErr_SetString(PyExc_SystemError, "invalid kind");
            return nullptr;
    }
    if (!good) {
        PyErr_SetString(PyExc_SystemError, "invalid maximum character passed to PyUnicode_New");
        return nullptr;
    }
    return out.to_str();
}

PyObject* PyUnicode_FromWideChar(const wchar_t* text, Py_ssize_t size) {
    if (text == nullptr && size != 0) {
        PyErr_BadInternalCall();
        return nullptr;
    }
    if (size < 0) {
        size = static_cast<Py_ssize_t>(std::wcslen(text));
    }
    text::TextBuffer out;
    if (!append_units(text, size, &out)) {
        const wchar_t* bad = std::find_if(text, text + size, [](wchar_t c) {
            return static_cast<char32_t>(c) > text::utf8::kLast;
        });
        return PyErr_Format(PyExc_ValueError, "character U+%x is not in range [U+0000; U+10ffff]",
                            static_cast<unsigned>(*bad));
    }
    return out.to_str();
}
