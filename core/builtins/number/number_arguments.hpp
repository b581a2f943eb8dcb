// What int(), bool() and float() do with their arguments.
#pragma once

#include <string>
#include <string_view>

#include "core/include/Python.h"

namespace ouro::number {

// Both borrowed, nullptr where not given.
struct IntArguments {
    PyObject* x = nullptr;
    PyObject* base = nullptr;
};
// False with TypeError.
bool take_int_arguments(PyObject* args, PyObject* kwargs, IntArguments* taken);

// The one argument, or none, of the call of a type of that name: borrowed, nullptr where not given.
// False with TypeError.
bool take_one_argument(const char* name, PyObject* args, PyObject* kwargs, PyObject** x);

// SystemError for a NULL that is no consequence of an exception; returns nullptr.
PyObject* null_argument();

// The memory of an object that exports it; not valid, with an exception, if it does not.
class BufferView {
public:
    explicit BufferView(PyObject* op);
    ~BufferView();
    BufferView(const BufferView&) = delete;
    BufferView& operator=(const BufferView&) = delete;

    bool is_valid() const { return valid_; }
    // Pre: it is valid.
    std::string_view text() const {
        return {static_cast<const char*>(view_.buf), static_cast<size_t>(view_.len)};
    }

private:
    Py_buffer view_{};
    bool valid_;
};

// How `source`, a str or what exports bytes, represents itself in the message that it is no number: a new
// str, or nullptr with an exception.
PyObject* shown(PyObject* source);

// The text of a str that is to be read as a number: digits of all scripts as ASCII's, space as ' ', and
// what can be neither as '?'. Throws std::bad_alloc.
std::string ascii_of(std::string_view utf8);

inline bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

}  // namespace ouro::number
