// What the files of range share.
#pragma once

#include "core/object/own.hpp"

namespace ouro::object {

// Four ints of any size; they never change.
struct RangeObject {
    PyObject ob_base;
    PyObject *start, *stop, *step, *length;
};

inline RangeObject* range(PyObject* op) {
    return reinterpret_cast<RangeObject*>(op);
}

// An operation on two ints of which either may be missing: then an exception is set already.
inline Own apply(PyObject* (*operation)(PyObject*, PyObject*), const Own& x, const Own& y) {
    return x && y ? Own(operation(x.get(), y.get())) : Own();
}
inline Own apply(PyObject* (*operation)(PyObject*, PyObject*), PyObject* x, PyObject* y) {
    return x != nullptr && y != nullptr ? Own(operation(x, y)) : Own();
}

// tp_iter and __reversed__ (range_iterator.cpp).
PyObject* range_iterate(PyObject* op);
PyObject* range_iterate_backwards(PyObject* op, PyObject*);

}  // namespace ouro::object
