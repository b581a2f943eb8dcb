// Messages put together piece by piece, and what objects look like in them.
#pragma once

#include <cstdarg>
#include <string_view>

#include "core/include/Python.h"

namespace ouro::object {

// str(op) and repr(op): new references, or nullptr with an exception.
PyObject* str_of(PyObject* op);
PyObject* repr_of(PyObject* op);

// What printf would print, as a str: new reference, or nullptr with an exception. Pre: nothing is set.
PyObject* formatted(const char* format, va_list arguments) __attribute__((format(printf, 1, 0)));

// Whatever fails, for want of memory or in an object's own code, ends it: what is added later is not,
// and there is no result.
class Message {
public:
    Message() = default;
    ~Message() { PyMem_Free(buffer_); }
    Message(const Message&) = delete;
    Message& operator=(const Message&) = delete;

    Message& add(std::string_view piece);
    Message& add_number(Py_ssize_t number);
    Message& add_str(PyObject* op) { return take(failed_ ? nullptr : str_of(op)); }
    Message& add_repr(PyObject* op) { return take(failed_ ? nullptr : repr_of(op)); }
    // As a tuple shows its items.
    Message& add_items(PyObject* tuple);

    // A new str, or nullptr with the exception of what failed.
    PyObject* finish();

private:
    Message& take(PyObject* text);

    char* buffer_ = nullptr;
    size_t size_ = 0;
    size_t capacity_ = 0;
    bool failed_ = false;
};

}  // namespace ouro::object
