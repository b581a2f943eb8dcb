// Messages put together piece by piece, and what objects look like in them.
#pragma once

#include <string_view>

#include "core/include/Python.h"

namespace ouro::text {

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
    Message& add_str(PyObject* op) { return take(failed_ ? nullptr : PyObject_Str(op)); }
    Message& add_repr(PyObject* op) { return take(failed_ ? nullptr : PyObject_Repr(op)); }

    // A new str, or nullptr with the exception of what failed.
    PyObject* finish();

private:
    Message& take(PyObject* text);

    char* buffer_ = nullptr;
    size_t size_ = 0;
    size_t capacity_ = 0;
    bool failed_ = false;
};

}  // namespace ouro::text
