// Names of files. Source: "File System Encoding" and "os.fspath" in the C API documentation.
#include <cwchar>

#include "core/builtins/text/bytes.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/builtins/type/special.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using namespace ouro::type::literals;
using object::Own;

namespace {

// A byte that is no part of UTF-8, as a surrogate: this and the byte ("surrogateescape").
constexpr char32_t kEscaped = 0xDC00;

bool is_path(PyObject* op) {
    return PyUnicode_Check(op) || PyBytes_Check(op);
}

// What `convert` makes of a path, stored in *result: what both converters do.
template <class Convert>
int convert_path(PyObject* path, void* result, Convert convert) {
    auto** place = static_cast<PyObject**>(result);
    if (path == nullptr) {
        Py_CLEAR(*place);
        return 1;
    }
    const Own op(PyOS_FSPath(path));
    Own made(op ? convert(op.get()) : nullptr);
    if (!made) {
        return 0;
    }
    const std::string_view name =
        PyBytes_Check(made.get()) ? text::bytes_in(made.get()) : text::text_in(made.get());
    if (name.find('\0') != std::string_view::npos) {
        PyErr_SetString(PyExc_ValueError, PyBytes_Check(made.get()) ? "embedded null byte"
                                                                    : "embedded null character");
        return 0;
    }
    *place = made.release();
    return Py_CLEANUP_SUPPORTED;
}

}  // namespace

PyObject* PyOS_FSPath(PyObject* path) {
    if (is_path(path)) {
        return Py_NewRef(path);
    }
    const type::SpecialMethod method(path, "__fspath__"_name);
    if (method.failed()) {
        return nullptr;
    }
    if (method.missing() || method.is_none()) {
        return PyErr_Format(PyExc_TypeError,
                            "expected str, bytes or os.PathLike object, not %.200s",
                            Py_TYPE(path)->tp_name);
    }
    Own made(method.call());
    if (made && !is_path(made.get())) {
        return PyErr_Format(PyExc_TypeError,
                            "expected %.200s.__fspath__() to return str or bytes, not %.200s",
                            Py_TYPE(path)->tp_name, Py_TYPE(made.get())->tp_name);
    }
    return made.release();
}

int PyUnicode_FSConverter(PyObject* path, void* result) {
    return convert_path(path, result, [](PyObject* op) {
        return PyBytes_Check(op) ? Py_NewRef(op) : PyUnicode_EncodeFSDefault(op);
    });
}

int PyUnicode_FSDecoder(PyObject* path, void* result) {
    return convert_path(path, result, [](PyObject* op) {
        return PyUnicode_Check(op)
                   ? Py_NewRef(op)
                   : PyUnicode_DecodeFSDefaultAndSize(PyBytes_AS_STRING(op), PyBytes_GET_SIZE(op));
    });
}

wchar_t* Py_DecodeLocale(const char* text, size_t* size) {
    const std::string_view bytes = text;
    auto* made = static_cast<wchar_t*>(PyMem_RawMalloc((bytes.size() + 1) * sizeof(wchar_t)));
    if (made == nullptr) {
        if (size != nullptr) {
            *size = static_cast<size_t>(-1);
        }
        return nullptr;
    }
    wchar_t* to = made;
    text::utf8::Fault fault{};
    for (size_t at = 0; at < bytes.size();) {
        const bool is_bad = text::utf8::find_fault(bytes, at, &fault);
        const size_t end = is_bad ? fault.start : bytes.size();
        for (const char* p = text + at; p < text + end;) {
            *to++ = static_cast<wchar_t>(text::utf8::next(&p));
        }
        at = end;
        for (; is_bad && at < fault.end; ++at) {
            *to++ = static_cast<wchar_t>(kEscaped + static_cast<unsigned char>(bytes[at]));
        }
    }
    *to = L'\0';
    if (size != nullptr) {
        *size = static_cast<size_t>(to - made);
    }
    return made;
}

char* Py_EncodeLocale(const wchar_t* text, size_t* error_place) {
    const size_t length = std::wcslen(text);
    auto* made = static_cast<char*>(PyMem_Malloc(length * text::utf8::kMostBytes + 1));
    if (error_place != nullptr) {
        *error_place = static_cast<size_t>(-1);
    }
    char* to = made;
    for (size_t i = 0; made != nullptr && i < length; ++i) {
        const auto c = static_cast<char32_t>(text[i]);
        if (c >= kEscaped + 0x80 && c <= kEscaped + 0xFF) {
            *to++ = static_cast<char>(c - kEscaped);
        } else if (text::utf8::is_surrogate(c) || c > text::utf8::kLast) {
            PyMem_Free(made);
            if (error_place != nullptr) {
                *error_place = i;
            }
            return nullptr;
        } else {
            to += text::utf8::put(c, to);
        }
    }
    if (made != nullptr) {
        *to = '\0';
    }
    return made;
}
