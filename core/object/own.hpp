// A reference that its holder drops when it goes.
#pragma once

#include <utility>

#include "core/include/Python.h"

namespace ouro::object {

class Own {
public:
    Own() = default;
    // Steals; may be nullptr.
    explicit Own(PyObject* op) : op_(op) {}
    ~Own() { Py_XDECREF(op_); }
    Own(Own&& other) noexcept : op_(std::exchange(other.op_, nullptr)) {}
    Own& operator=(Own&& other) noexcept {
        Own old(std::exchange(op_, std::exchange(other.op_, nullptr)));
        return *this;
    }

    // A reference of its own; op may be nullptr.
    static Own of(PyObject* op) { return Own(Py_XNewRef(op)); }

    // Borrowed.
    PyObject* get() const { return op_; }
    // The reference is the caller's now.
    PyObject* release() { return std::exchange(op_, nullptr); }
    explicit operator bool() const { return op_ != nullptr; }

private:
    PyObject* op_ = nullptr;
};

}  // namespace ouro::object
