// Strs put together of parts by C code, and what a code point is. Source: "PyUnicodeWriter" and "Unicode Character
// Properties" in the C API documentation.
#include <cstdarg>
#include <cstring>
#include <cwchar>
#include <new>
#include <utility>

#include "core/builtins/text/text_buffer.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/builtins/text/unicode_case.hpp"
#include "core/builtins/text/unicode_tables.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using object::Own;
using text::Case;
using text::text_in;

struct PyUnicodeWriter {
    text::TextBuffer text;
};

namespace {

int result_of(const PyUnicodeWriter* writer) {
    return writer->text.failed() ? -1 : 0;
}

int write_text(PyUnicodeWriter* writer, const Own& op) {
    if (!op) {
        return -1;
    }
    writer->text.append(text_in(op.get()));
    return result_of(writer);
}

template <class Unit>
int write_units(PyUnicodeWriter* writer, const Unit* units, Py_ssize_t size) {
    for (Py_ssize_t i = 0; i < size; ++i) {
        if (PyUnicodeWriter_WriteChar(writer, static_cast<Py_UCS4>(units[i])) < 0) {
            return -1;
        }
    }
    return 0;
}

Py_UCS4 in_one(Case which, Py_UCS4 ch) {
    char32_t to[text::kMostInCase];
    return text::in_case(which, ch, to) == 1 ? static_cast<Py_UCS4>(to[0]) : ch;
}

}  // namespace

PyUnicodeWriter* PyUnicodeWriter_Create(Py_ssize_t length) {
    if (length < 0) {
        PyErr_SetString(PyExc_ValueError, "length must be positive");
        return nullptr;
    }
    void* memory = PyMem_Malloc(sizeof(PyUnicodeWriter));
    if (memory == nullptr) {
        PyErr_NoMemory();
        return nullptr;
    }
    return new (memory) PyUnicodeWriter;
}

void PyUnicodeWriter_Discard(PyUnicodeWriter* writer) {
    if (writer != nullptr) {
        writer->~PyUnicodeWriter();
        PyMem_Free(writer);
    }
}

PyObject* PyUnicodeWriter_Finish(PyUnicodeWriter* writer) {
    PyObject* made = writer->text.to_str();
    PyUnicodeWriter_Discard(writer);
    return made;
}

int PyUnicodeWriter_WriteChar(PyUnicodeWriter* writer, Py_UCS4 ch) {
    if (ch > text::utf8::kLast) {
        PyErr_SetString(PyExc_ValueError, "character must be in range(0x110000)");
        return -1;
    }
    writer->text.append_code_point(ch);
    return result_of(writer);
}

int PyUnicodeWriter_WriteUTF8(PyUnicodeWriter* writer, const char* utf8, Py_ssize_t size) {
    const Py_ssize_t bytes = size < 0 ? static_cast<Py_ssize_t>(std::strlen(utf8)) : size;
    return write_text(writer, Own(PyUnicode_DecodeUTF8(utf8, bytes, nullptr)));
}

int PyUnicodeWriter_WriteASCII(PyUnicodeWriter* writer, const char* ascii, Py_ssize_t size) {
    const Py_ssize_t bytes = size < 0 ? static_cast<Py_ssize_t>(std::strlen(ascii)) : size;
    writer->text.append(std::string_view(ascii, static_cast<size_t>(bytes)));
    return result_of(writer);
}

int PyUnicodeWriter_WriteUCS4(PyUnicodeWriter* writer, const Py_UCS4* units, Py_ssize_t size) {
    if (size < 0) {
        PyErr_SetString(PyExc_ValueError, "size must be positive");
        return -1;
    }
    return write_units(writer, units, size);
}

int PyUnicodeWriter_WriteWideChar(PyUnicodeWriter* writer, const wchar_t* units, Py_ssize_t size) {
    return write_units(writer, units,
                       size < 0 ? static_cast<Py_ssize_t>(std::wcslen(units)) : size);
}

int PyUnicodeWriter_WriteStr(PyUnicodeWriter* writer, PyObject* op) {
    return write_text(writer, Own(PyObject_Str(op)));
}

int PyUnicodeWriter_WriteRepr(PyUnicodeWriter* writer, PyObject* op) {
    return write_text(writer, Own(PyObject_Repr(op)));
}

int PyUnicodeWriter_WriteSubstring(PyUnicodeWriter* writer, PyObject* op, Py_ssize_t start,
                                   Py_ssize_t end) {
    if (!PyUnicode_Check(op)) {
        PyErr_Format(PyExc_TypeError, "expect str, not %T", op);
        return -1;
    }
    if (start < 0 || start > end) {
        PyErr_Format(PyExc_ValueError,
                     start < 0 ? "start must be positive" : "end must be greater than start");
        return -1;
    }
    if (end > PyUnicode_GET_LENGTH(op)) {
        PyErr_SetString(PyExc_ValueError, "end must be less than or equal to the string length");
        return -1;
    }
    return write_text(writer, Own(PyUnicode_Substring(op, start, end)));
}

int PyUnicodeWriter_Format(PyUnicodeWriter* writer, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int result = write_text(writer, Own(PyUnicode_FromFormatV(format, arguments)));
    va_end(arguments);
    return result;
}

int Py_UNICODE_ISSPACE(Py_UCS4 ch) {
    return text::is_space(ch);
}
int Py_UNICODE_ISLOWER(Py_UCS4 ch) {
    return text::is_lower(ch);
}
int Py_UNICODE_ISUPPER(Py_UCS4 ch) {
    return text::is_upper(ch);
}
int Py_UNICODE_ISTITLE(Py_UCS4 ch) {
    return text::is_title(ch);
}
int Py_UNICODE_ISALPHA(Py_UCS4 ch) {
    return text::is_alpha(ch);
}
int Py_UNICODE_ISDECIMAL(Py_UCS4 ch) {
    return text::is_decimal(ch);
}
int Py_UNICODE_ISDIGIT(Py_UCS4 ch) {
    return text::is_digit(ch);
}
int Py_UNICODE_ISNUMERIC(Py_UCS4 ch) {
    return text::is_numeric(ch);
}
int Py_UNICODE_ISALNUM(Py_UCS4 ch) {
    return text::is_alpha(ch) || text::is_decimal(ch) || text::is_digit(ch) || text::is_numeric(ch);
}
int Py_UNICODE_ISLINEBREAK(Py_UCS4 ch) {
    return text::ends_line(ch);
}
int Py_UNICODE_ISPRINTABLE(Py_UCS4 ch) {
    return text::is_printable(ch);
}
Py_UCS4 Py_UNICODE_TOLOWER(Py_UCS4 ch) {
    return in_one(Case::kLower, ch);
}
Py_UCS4 Py_UNICODE_TOUPPER(Py_UCS4 ch) {
    return in_one(Case::kUpper, ch);
}
Py_UCS4 Py_UNICODE_TOTITLE(Py_UCS4 ch) {
    return in_one(Case::kTitle, ch);
}

namespace {

// Whether there is one; false with MemoryError.
bool is_made(_PyUnicodeWriter* writer) {
    if (writer->made == nullptr) {
        writer->made = PyUnicodeWriter_Create(0);
    }
    return writer->made != nullptr;
}

}  // namespace

void _PyUnicodeWriter_Init(_PyUnicodeWriter* writer) {
    *writer = {};
}

int _PyUnicodeWriter_WriteChar(_PyUnicodeWriter* writer, Py_UCS4 ch) {
    return is_made(writer) ? PyUnicodeWriter_WriteChar(writer->made, ch) : -1;
}

int _PyUnicodeWriter_WriteStr(_PyUnicodeWriter* writer, PyObject* op) {
    return is_made(writer) ? PyUnicodeWriter_WriteStr(writer->made, op) : -1;
}

int _PyUnicodeWriter_WriteSubstring(_PyUnicodeWriter* writer, PyObject* op, Py_ssize_t start,
                                    Py_ssize_t end) {
    return is_made(writer) ? PyUnicodeWriter_WriteSubstring(writer->made, op, start, end) : -1;
}

int _PyUnicodeWriter_WriteASCIIString(_PyUnicodeWriter* writer, const char* text, Py_ssize_t size) {
    return is_made(writer) ? PyUnicodeWriter_WriteASCII(writer->made, text, size) : -1;
}

int _PyUnicodeWriter_WriteLatin1String(_PyUnicodeWriter* writer, const char* text,
                                       Py_ssize_t size) {
    return is_made(writer)
               ? write_units(writer->made, reinterpret_cast<const unsigned char*>(text), size)
               : -1;
}

PyObject* _PyUnicodeWriter_Finish(_PyUnicodeWriter* writer) {
    PyUnicodeWriter* made = is_made(writer) ? std::exchange(writer->made, nullptr) : nullptr;
    return made == nullptr ? nullptr : PyUnicodeWriter_Finish(made);
}

void _PyUnicodeWriter_Dealloc(_PyUnicodeWriter* writer) {
    PyUnicodeWriter_Discard(std::exchange(writer->made, nullptr));
}
