// References to several objects, as they are moved into lists and tuples and out of them.
#pragma once

#include <array>

#include "core/include/Python.h"

namespace ouro::container {

struct Stride;  // slice.hpp

// Some of them may be nullptr. It drops what it has when it goes.
class References {
public:
    References() = default;
    ~References();
    References(const References&) = delete;
    References& operator=(const References&) = delete;

    // Once, before any is added. False with MemoryError.
    bool make_room(Py_ssize_t count);
    // Steals.
    void add(PyObject* op) { items_[count_++] = op; }
    // References to the items of a list or a tuple from low up to high, once, in place of make_room and add.
    // False with MemoryError.
    bool copy(PyObject* op, Py_ssize_t low, Py_ssize_t high);
    // The same of every `step`th item.
    bool copy_stride(PyObject* op, Stride stride);

    // They are the caller's now.
    PyObject* const* release() {
        count_ = 0;
        return items_;
    }
    Py_ssize_t count() const { return count_; }
    PyObject* const* items() const { return items_; }

    // New objects with these items, which they take over; nullptr with MemoryError.
    PyObject* to_list();
    PyObject* to_tuple();

private:
    std::array<PyObject*, 8> few_;
    PyObject** items_ = few_.data();
    Py_ssize_t count_ = 0;
};

}  // namespace ouro::container
