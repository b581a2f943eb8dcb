// A reference that is dropped at the end of its scope.
#pragma once

#include <utility>

#include "core/include/Python.h"

namespace ouro::object {

class Own {
public:
    // Takes over a new reference, or nullptr.
    explicit Own(PyObject* op = nullptr) : op_(op) {}
    Own(Own&& other) noexcept : op_(other.release()) {}
    Own& operator=(Own&& other) noexcept {
        reset(other.release());
        return *this;
    }
    ~Own() { Py_XDECREF(op_); }

    PyObject* get() const { return op_; }
    explicit operator bool() const { return op_ != nullptr; }
    // Hands the reference to the caller.
    PyObject* release() { return std::exchange(op_, nullptr); }
    void reset(PyObject* op = nullptr) { Py_XDECREF(std::exchange(op_, op)); }
    // Where a function stores a new reference. Pre: there is none.
    PyObject** out() { return &op_; }

private:
    PyObject* op_;
};

}  // namespace ouro::object
