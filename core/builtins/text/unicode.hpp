// What C++ code sees of str beyond the public functions. Source of the behaviour: "Unicode Objects
// and Codecs" in the C API documentation.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/builtins/text/utf8.hpp"
#include "core/include/Python.h"

namespace ouro::container {
struct Stride;  // slice.hpp
}

namespace ouro::text {

inline PyUnicodeObject* unicode(PyObject* op) {
    return reinterpret_cast<PyUnicodeObject*>(op);
}

// Where the text of an exact str is, or, made by PyUnicode_New, will be.
inline char* room_of(PyObject* op) {
    return reinterpret_cast<char*>(op) + offsetof(PyUnicodeObject, writable) + 1;
}
// Makes the UTF-8 of a str that was written as an array of code points. Needs no memory.
const char* settle(PyObject* op);

// The text of a str, borrowed; a zero byte follows it.
inline std::string_view text_in(PyObject* op) {
    // acquire: who finds UTF-8 that another thread has just made sees it (settle).
    const char* utf8 = __atomic_load_n(&unicode(op)->utf8, __ATOMIC_ACQUIRE);
    if (utf8 == nullptr) [[unlikely]] {
        utf8 = settle(op);
    }
    return {utf8, static_cast<size_t>(__atomic_load_n(&unicode(op)->size, __ATOMIC_RELAXED))};
}
inline bool is_ascii(PyObject* op) {
    return text_in(op).size() == static_cast<size_t>(unicode(op)->length);
}

// The hash of any object, as PyObject_Hash; a str's is known from the second time on.
inline Py_hash_t hash_of(PyObject* op) {
    if (PyUnicode_CheckExact(op)) [[likely]] {
        const Py_hash_t hash = __atomic_load_n(&unicode(op)->hash, __ATOMIC_RELAXED);
        if (hash != -1) [[likely]] {
            return hash;
        }
    }
    return PyObject_Hash(op);
}

// A new str of `bytes` bytes that the caller writes, and then completes; nullptr with MemoryError.
// A zero byte follows them already.
PyObject* allocate_text(size_t bytes);
PyObject* complete_text(PyObject* op, utf8::Measure measure);

// A new str, or nullptr with MemoryError.
PyObject* new_text(std::string_view text);

// Whether op is a str; false with TypeError.
bool require_str(PyObject* op);
// The same with the TypeError of functions whose argument has no name.
bool require_str_argument(PyObject* op);

// bytes[index] of a range as slices have it: what is beyond the ends is cut off, negative ones
// count from the end.
struct Range {
    Py_ssize_t start, end;  // start may be greater
};
Range adjusted(Py_ssize_t start, Py_ssize_t end, Py_ssize_t length);

// Code points start, start + step, ... of a str, `count` of them: a new str.
PyObject* unicode_slice(PyObject* op, const container::Stride& stride);

// What tp_repr, and ascii() of any repr, are made of.
PyObject* unicode_repr(PyObject* op);
// A str in which everything that is not ASCII is an escape. Steals op, which may be nullptr.
PyObject* escape_non_ascii(PyObject* op);

// tp_iter.
PyObject* unicode_iterate(PyObject* op);

// Forgets an interned str that is being deallocated.
void forget_interned(PyObject* op);

}  // namespace ouro::text
