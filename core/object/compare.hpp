// What an order means to a comparison operator.
#pragma once

#include "core/include/Python.h"

namespace ouro::object {

// How one value stands to another: less, equal, greater, or without an order (a NaN).
enum class Order { kLess = -1, kEqual = 0, kGreater = 1, kNone = 2 };

template <class T>
Order order_of(const T& x, const T& y) {
    return x < y ? Order::kLess : x > y ? Order::kGreater : x == y ? Order::kEqual : Order::kNone;
}

// Whether the operator (Py_LT ... Py_GE) holds.
inline bool holds(int operation, Order order) {
    switch (operation) {
        case Py_LT:
            return order == Order::kLess;
        case Py_LE:
            return order == Order::kLess || order == Order::kEqual;
        case Py_EQ:
            return order == Order::kEqual;
        case Py_NE:
            return order != Order::kEqual;
        case Py_GT:
            return order == Order::kGreater;
        default:
            return order == Order::kGreater || order == Order::kEqual;
    }
}

}  // namespace ouro::object
