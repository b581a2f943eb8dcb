// From C values to objects, for those who want several without a tuple around them.
#pragma once

#include <array>
#include <cstdarg>

#include "core/include/Python.h"

namespace ouro::call {

// The values that a format describes, each on its own.
class Values {
public:
    Values() = default;
    ~Values();
    Values(const Values&) = delete;
    Values& operator=(const Values&) = delete;

    // Once. False with an exception.
    bool build(const char* format, std::va_list from);

    PyObject* const* items() const { return items_; }
    Py_ssize_t count() const { return count_; }

private:
    std::array<PyObject*, 8> few_;
    PyObject** items_ = few_.data();
    Py_ssize_t count_ = 0;
};

// Calls with them; if they are one tuple, with its items.
PyObject* call_with(PyObject* callable, const Values& values);

}  // namespace ouro::call
