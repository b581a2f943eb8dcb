// A reference that is dropped at the end of a block.
#pragma once

#include <utility>

#include "core/include/Python.h"

namespace ouro::object {

class Own {
public:
    Own() = default;
    // Steals the reference; nullptr is none.
    explicit Own(PyObject* op) : op_(op) {}
    Own(Own&& other) noexcept : op_(other.release()) {}
    Own& operator=(Own&& other) noexcept {
        Py_XDECREF(std::exchange(op_, other.release()));
        return *this;
    }
    ~Own() { Py_XDECREF(op_); }

    PyObject* get() const { return op_; }
    PyObject* release() { return std::exchange(op_, nullptr); }
    explicit operator bool() const { return op_ != nullptr; }

private:
    PyObject* op_ = nullptr;
};

}  // namespace ouro::object
