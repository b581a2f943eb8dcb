// Text of the system, whose encoding is UTF-8, and the writer's part of decoding. Source: "Locale Encoding" in the C API
// documentation.
#include <cstring>
#include <string_view>

#include "core/builtins/text/unicode.hpp"
#include "core/object/own.hpp"

using namespace ouro;

namespace {

// False with ValueError for a handler that the system's text cannot have.
bool check_locale_errors(const char* errors) {
    if (errors == nullptr || std::string_view(errors) == "strict" ||
        std::string_view(errors) == "surrogateescape") {
        return true;
    }
    PyErr_SetString(PyExc_ValueError, "unsupported error handler");
    return false;
}

}  // namespace

PyObject* PyUnicode_DecodeLocaleAndSize(const char* bytes, Py_ssize_t size, const char* errors) {
    if (!check_locale_errors(errors)) {
        return nullptr;
    }
    if (size >= 0 && std::memchr(bytes, 0, static_cast<size_t>(size)) != nullptr) {
        PyErr_SetString(PyExc_ValueError, "embedded null byte");
        return nullptr;
    }
    return PyUnicode_DecodeUTF8(bytes, size, errors);
}

PyObject* PyUnicode_DecodeLocale(const char* text, const char* errors) {
    return PyUnicode_DecodeLocaleAndSize(text, static_cast<Py_ssize_t>(std::strlen(text)), errors);
}

PyObject* PyUnicode_EncodeLocale(PyObject* op, const char* errors) {
    if (!check_locale_errors(errors) || !text::require_str_argument(op)) {
        return nullptr;
    }
    if (text::text_in(op).find('\0') != std::string_view::npos) {
        PyErr_SetString(PyExc_ValueError, "embedded null character");
        return nullptr;
    }
    return PyUnicode_AsEncodedString(op, "utf-8", errors);
}

int PyUnicodeWriter_DecodeUTF8Stateful(PyUnicodeWriter* writer, const char* bytes, Py_ssize_t size,
                                       const char* errors, Py_ssize_t* consumed) {
    const Py_ssize_t all = size < 0 ? static_cast<Py_ssize_t>(std::strlen(bytes)) : size;
    const object::Own text(PyUnicode_DecodeUTF8Stateful(bytes, all, errors, consumed));
    return text ? PyUnicodeWriter_WriteStr(writer, text.get()) : -1;
}
