// What the files of range share.
#pragma once

#include "core/object/own.hpp"

namespace ouro::container {

// Four ints of any size; they never change.
struct RangeObject {
    PyObject ob_base;
    PyObject *start, *stop, *step, *length;
};

inline RangeObject* range(PyObject* op) {
    return reinterpret_cast<RangeObject*>(op);
}

// An operation on two ints of which either may be missing: then an exception is set already.
inline object::Own apply(PyObject* (*operation)(PyObject*, PyObject*), const object::Own& x,
                         const object::Own& y) {
    return x && y ? object::Own(operation(x.get(), y.get())) : object::Own();
}
inline object::Own apply(PyObject* (*operation)(PyObject*, PyObject*), PyObject* x, PyObject* y) {
    return x != nullptr && y != nullptr ? object::Own(operation(x, y)) : object::Own();
}

// tp_iter and __reversed__ (range_iterator.cpp).
PyObject* range_iterate(PyObject* op);
PyObject* range_iterate_backwards(PyObject* op, PyObject*);

}  // namespace ouro::container
