// str as an array of code points of one width, made when it is asked for, and strs that are written through it.
// Source: "Unicode Objects and Codecs" in the C API documentation.
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <cwchar>

#include "core/builtins/text/unicode.hpp"

using namespace ouro;
using text::text_in;
using text::unicode;

namespace {

int kind_for(char32_t greatest) {
    return greatest < 0x100     ? PyUnicode_1BYTE_KIND
           : greatest < 0x10000 ? PyUnicode_2BYTE_KIND
                                : PyUnicode_4BYTE_KIND;
}

// The most bytes of UTF-8 that a code point of a width has.
size_t most_bytes(int kind) {
    return kind == PyUnicode_1BYTE_KIND ? 2 : kind == PyUnicode_2BYTE_KIND ? 3 : 4;
}

Py_UCS4 greatest_of(int kind) {
    return kind == PyUnicode_1BYTE_KIND   ? 0xFF
           : kind == PyUnicode_2BYTE_KIND ? 0xFFFF
                                          : text::utf8::kLast;
}

// Pre: a str whose text is UTF-8.
void* wide_form(PyObject* op, int kind) {
    const auto length = static_cast<size_t>(unicode(op)->length);
    void* wide = PyMem_Malloc((length + 1) * static_cast<size_t>(kind));
    const char* p = unicode(op)->utf8;
    for (size_t i = 0; wide != nullptr && i <= length; ++i) {
        PyUnicode_WRITE(kind, wide, static_cast<Py_ssize_t>(i),
                        i < length ? static_cast<Py_UCS4>(text::utf8::next(&p)) : 0);
    }
    return wide;
}

// The array of a str that is not ASCII; nullptr with MemoryError.
void* array_of(PyObject* op) {
    PyUnicodeObject* self = unicode(op);
    void* known = __atomic_load_n(&self->wide, __ATOMIC_ACQUIRE);  // pairs with the exchange below
    if (known != nullptr) {
        return known;
    }
    const int kind = kind_for(_Ouro_UnicodeMaxCharValue(op));
    void* made = wide_form(op, kind);
    if (made == nullptr) {
        return PyErr_NoMemory();
    }
    // The same value whoever stores it.
    __atomic_store_n(&self->kind, static_cast<uint8_t>(kind), __ATOMIC_RELAXED);
    if (!__atomic_compare_exchange_n(&self->wide, &known, made, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        PyMem_Free(made);
        return known;
    }
    return made;
}

enum class Writing { kNo, kAscii, kWide };

// Whether op may be written; else an exception is set.
Writing begin_writing(PyObject* op) {
    if (!PyUnicode_Check(op)) {
        PyErr_BadArgument();
        return Writing::kNo;
    }
    PyUnicodeObject* self = unicode(op);
    if (self->writable == 0 || Py_REFCNT(op) != 1 || self->hash != -1 || self->interned != 0) {
        PyErr_SetString(PyExc_SystemError, "Cannot modify a string currently used");
        return Writing::kNo;
    }
    if (self->wide == nullptr) {
        return Writing::kAscii;
    }
    // Its UTF-8, if somebody has asked for that, is not its text any more.
    self->size = -1;
    __atomic_store_n(&self->utf8, nullptr, __ATOMIC_RELAXED);
    return Writing::kWide;
}

void write(PyObject* op, Writing writing, Py_ssize_t index, Py_UCS4 ch) {
    if (writing == Writing::kAscii) {
        unicode(op)->utf8[index] = static_cast<char>(ch);
    } else {
        PyUnicode_WRITE(unicode(op)->kind, unicode(op)->wide, index, ch);
    }
}

bool fits(PyObject* op, Writing writing, Py_UCS4 ch) {
    return ch <= (writing == Writing::kAscii ? 0x7F : greatest_of(unicode(op)->kind));
}

// A range of a str that is being written, whose end is cut off. False with an exception.
bool take_range(PyObject* op, Py_ssize_t start, Py_ssize_t* length) {
    if (start < 0) {
        PyErr_SetString(PyExc_IndexError, "string index out of range");
        return false;
    }
    *length = std::clamp<Py_ssize_t>(unicode(op)->length - start, 0, *length);
    return true;
}

// The first `count` code points.
template <class To>
void copy_out(PyObject* op, To* to, Py_ssize_t count) {
    if (const void* wide = __atomic_load_n(&unicode(op)->wide, __ATOMIC_ACQUIRE)) {
        for (Py_ssize_t i = 0; i < count; ++i) {
            to[i] = static_cast<To>(PyUnicode_READ(unicode(op)->kind, wide, i));
        }
        return;
    }
    const char* p = text_in(op).data();
    for (Py_ssize_t i = 0; i < count; ++i) {
        to[i] = static_cast<To>(text::utf8::next(&p));
    }
}

template <class To>
To* copy_of(PyObject* op) {
    const Py_ssize_t length = unicode(op)->length;
    auto* made = static_cast<To*>(PyMem_Malloc((static_cast<size_t>(length) + 1) * sizeof(To)));
    if (made == nullptr) {
        PyErr_NoMemory();
        return nullptr;
    }
    copy_out(op, made, length);
    made[length] = 0;
    return made;
}

}  // namespace

const char* text::settle(PyObject* op) {
    PyUnicodeObject* self = unicode(op);
    uint8_t writable = 1;
    // acquire, release: who finds that another has done it sees the text. The other runs no foreign code meanwhile.
    if (__atomic_compare_exchange_n(&self->writable, &writable, uint8_t{2}, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED)) {
        if (__atomic_load_n(&self->utf8, __ATOMIC_RELAXED) == nullptr) {
            char* const begin = room_of(op);
            char* p = begin;
            for (Py_ssize_t i = 0; i < self->length; ++i) {
                p += utf8::put(PyUnicode_READ(self->kind, self->wide, i), p);
            }
            *p = '\0';
            const auto bytes = static_cast<size_t>(p - begin);
            self->has_surrogates = utf8::measure({begin, bytes}).has_surrogates;
            __atomic_store_n(&self->size, static_cast<Py_ssize_t>(bytes), __ATOMIC_RELAXED);
            __atomic_store_n(&self->utf8, begin, __ATOMIC_RELEASE);  // pairs with text_in
        }
        __atomic_store_n(&self->writable, uint8_t{1}, __ATOMIC_RELEASE);
    }
    char* utf8;
    while ((utf8 = __atomic_load_n(&self->utf8, __ATOMIC_ACQUIRE)) == nullptr) {
        sched_yield();
    }
    return utf8;
}

PyObject* PyUnicode_New(Py_ssize_t length, Py_UCS4 maxchar) {
    if (length < 0) {
        PyErr_SetString(PyExc_SystemError, "Negative size passed to PyUnicode_New");
        return nullptr;
    }
    if (maxchar > text::utf8::kLast) {
        PyErr_SetString(PyExc_SystemError, "invalid maximum character passed to PyUnicode_New");
        return nullptr;
    }
    if (length == 0) {
        return text::new_text({});
    }
    const auto count = static_cast<size_t>(length);
    const int kind = kind_for(maxchar);
    const size_t each = maxchar < 0x80 ? 1 : most_bytes(kind);
    if (count > (static_cast<size_t>(PY_SSIZE_T_MAX) - sizeof(PyUnicodeObject)) / each) {
        return PyErr_NoMemory();
    }
    PyObject* op = text::allocate_text(count * each);
    if (op == nullptr) {
        return nullptr;
    }
    text::complete_text(op, {count, false});
    unicode(op)->writable = 1;
    if (maxchar < 0x80) {
        std::memset(unicode(op)->utf8, 0, count);
        return op;
    }
    void* wide = PyMem_Calloc(count + 1, static_cast<size_t>(kind));
    if (wide == nullptr) {
        Py_DECREF(op);
        return PyErr_NoMemory();
    }
    unicode(op)->kind = static_cast<uint8_t>(kind);
    unicode(op)->wide = wide;
    unicode(op)->size = -1;
    unicode(op)->utf8 = nullptr;
    return op;
}

int PyUnicode_WriteChar(PyObject* op, Py_ssize_t index, Py_UCS4 ch) {
    const Writing writing = begin_writing(op);
    if (writing == Writing::kNo) {
        return -1;
    }
    if (index < 0 || index >= unicode(op)->length) {
        PyErr_SetString(PyExc_IndexError, "string index out of range");
        return -1;
    }
    if (!fits(op, writing, ch)) {
        PyErr_SetString(PyExc_ValueError, "character out of range");
        return -1;
    }
    write(op, writing, index, ch);
    return 0;
}

Py_ssize_t PyUnicode_Fill(PyObject* op, Py_ssize_t start, Py_ssize_t length, Py_UCS4 ch) {
    const Writing writing = begin_writing(op);
    if (writing == Writing::kNo) {
        return -1;
    }
    if (!fits(op, writing, ch)) {
        PyErr_SetString(PyExc_ValueError,
                        "fill character is bigger than the string maximum character");
        return -1;
    }
    if (!take_range(op, start, &length)) {
        return -1;
    }
    for (Py_ssize_t i = 0; i < length; ++i) {
        write(op, writing, start + i, ch);
    }
    return length;
}

Py_ssize_t PyUnicode_CopyCharacters(PyObject* to, Py_ssize_t to_start, PyObject* from,
                                    Py_ssize_t from_start, Py_ssize_t many) {
    if (!PyUnicode_Check(from) || !PyUnicode_Check(to)) {
        PyErr_BadInternalCall();
        return -1;
    }
    if (from_start < 0 || from_start > unicode(from)->length || to_start < 0 ||
        to_start > unicode(to)->length) {
        PyErr_SetString(PyExc_IndexError, "string index out of range");
        return -1;
    }
    if (many < 0) {
        PyErr_SetString(PyExc_SystemError, "how_many cannot be negative");
        return -1;
    }
    many = std::min(many, unicode(from)->length - from_start);
    if (to_start + many > unicode(to)->length) {
        PyErr_Format(PyExc_SystemError,
                     "Cannot write %zi characters at %zi in a string of %zi characters", many,
                     to_start, unicode(to)->length);
        return -1;
    }
    if (many == 0) {
        return 0;
    }
    if (_Ouro_UnicodeReady(from) < 0) {
        return -1;
    }
    const int kind = PyUnicode_KIND(from);
    const void* data = PyUnicode_DATA(from);
    const Writing writing = begin_writing(to);
    if (writing == Writing::kNo) {
        return -1;
    }
    for (Py_ssize_t i = 0; i < many; ++i) {
        const Py_UCS4 ch = PyUnicode_READ(kind, data, from_start + i);
        if (!fits(to, writing, ch)) {
            PyErr_SetString(PyExc_SystemError,
                            "Cannot copy characters into a string of a narrower kind");
            return -1;
        }
        write(to, writing, to_start + i, ch);
    }
    return many;
}

int PyUnicode_Resize(PyObject** op, Py_ssize_t length) {
    PyObject* old = op == nullptr ? nullptr : *op;
    if (old == nullptr || !PyUnicode_Check(old) || length < 0) {
        PyErr_BadInternalCall();
        return -1;
    }
    if (unicode(old)->length == length) {
        return 0;
    }
    if (_Ouro_UnicodeReady(old) < 0) {
        return -1;
    }
    const Py_UCS4 greatest = unicode(old)->wide == nullptr ? 0x7F : greatest_of(unicode(old)->kind);
    PyObject* made = PyUnicode_New(length, greatest);
    if (made == nullptr) {
        return -1;
    }
    const Py_ssize_t kept = std::min(length, unicode(old)->length);
    if (kept > 0) {
        const auto width = static_cast<size_t>(PyUnicode_KIND(old));
        std::memcpy(PyUnicode_DATA(made), PyUnicode_DATA(old), static_cast<size_t>(kept) * width);
    }
    *op = made;
    Py_DECREF(old);
    return 0;
}

int _Ouro_UnicodeReady(PyObject* op) {
    return PyUnicode_IS_ASCII(op) || array_of(op) != nullptr ? 0 : -1;
}

void* _Ouro_UnicodeData(PyObject* op) {
    void* array = array_of(op);
    if (array == nullptr) {
        Py_FatalError("PyUnicode_DATA: out of memory; PyUnicode_READY would have said so");
    }
    return array;
}

Py_UCS4* PyUnicode_AsUCS4(PyObject* op, Py_UCS4* buffer, Py_ssize_t size, int copy_null) {
    if (buffer == nullptr || size < 0) {
        PyErr_BadInternalCall();
        return nullptr;
    }
    if (!text::require_str_argument(op)) {
        return nullptr;
    }
    const Py_ssize_t length = unicode(op)->length;
    if (size < length + (copy_null != 0 ? 1 : 0)) {
        PyErr_SetString(PyExc_SystemError, "string is longer than the buffer");
        return nullptr;
    }
    copy_out(op, buffer, length);
    if (copy_null != 0) {
        buffer[length] = 0;
    }
    return buffer;
}

Py_UCS4* PyUnicode_AsUCS4Copy(PyObject* op) {
    return text::require_str_argument(op) ? copy_of<Py_UCS4>(op) : nullptr;
}

Py_ssize_t PyUnicode_AsWideChar(PyObject* op, wchar_t* buffer, Py_ssize_t size) {
    if (op == nullptr) {
        PyErr_BadInternalCall();
        return -1;
    }
    if (!text::require_str_argument(op)) {
        return -1;
    }
    const Py_ssize_t length = unicode(op)->length;
    if (buffer == nullptr) {
        return length + 1;
    }
    const Py_ssize_t count = std::min(length, size);
    copy_out(op, buffer, count);
    if (count < size) {
        buffer[count] = L'\0';
    }
    return count;
}

wchar_t* PyUnicode_AsWideCharString(PyObject* op, Py_ssize_t* size) {
    if (op == nullptr) {
        PyErr_BadInternalCall();
        return nullptr;
    }
    wchar_t* made = text::require_str_argument(op) ? copy_of<wchar_t>(op) : nullptr;
    if (made != nullptr && size == nullptr &&
        std::wcslen(made) != static_cast<size_t>(unicode(op)->length)) {
        PyMem_Free(made);
        PyErr_SetString(PyExc_ValueError, "embedded null character");
        return nullptr;
    }
    if (made != nullptr && size != nullptr) {
        *size = unicode(op)->length;
    }
    return made;
}
