#include "core/builtins/container/references.hpp"

#include "core/builtins/container/sequence.hpp"
#include "core/builtins/container/slice.hpp"
#include "core/mutator/critical_section.hpp"

namespace ouro::container {
namespace {

PyObject* item_at(PyObject* op, Py_ssize_t i) {
    return PyList_Check(op) ? PyList_GET_ITEM(op, i) : PyTuple_GET_ITEM(op, i);
}

}  // namespace

References::~References() {
    for (Py_ssize_t i = count_; --i >= 0;) {
        Py_XDECREF(items_[i]);
    }
    if (items_ != few_.data()) {
        PyMem_Free(items_);
    }
}

bool References::make_room(Py_ssize_t count) {
    if (static_cast<size_t>(count) <= few_.size()) {
        return true;
    }
    auto* items = PyMem_New(PyObject*, static_cast<size_t>(count));
    if (items == nullptr) {
        PyErr_NoMemory();
        return false;
    }
    items_ = items;
    return true;
}

bool References::copy(PyObject* op, Py_ssize_t low, Py_ssize_t high) {
    const mutator::Guard guard(op);
    const Range range(low, high, Py_SIZE(op));
    if (!make_room(range.size())) {
        return false;
    }
    for (Py_ssize_t i = range.low; i < range.high; ++i) {
        add(Py_XNewRef(item_at(op, i)));
    }
    return true;
}

bool References::copy_stride(PyObject* op, Stride stride) {
    const mutator::Guard guard(op);
    adjust(&stride, Py_SIZE(op));
    if (!make_room(stride.count)) {
        return false;
    }
    for (Py_ssize_t i = 0; i < stride.count; ++i) {
        add(Py_XNewRef(item_at(op, stride.start + i * stride.step)));
    }
    return true;
}

PyObject* References::to_list() {
    const Py_ssize_t size = count_;
    PyObject* list = PyList_New(size);
    if (list != nullptr) {
        PyObject* const* items = release();
        for (Py_ssize_t i = 0; i < size; ++i) {
            PyList_SET_ITEM(list, i, items[i]);
        }
    }
    return list;
}

PyObject* References::to_tuple() {
    const Py_ssize_t size = count_;
    PyObject* tuple = PyTuple_New(size);
    if (tuple != nullptr) {
        PyObject* const* items = release();
        for (Py_ssize_t i = 0; i < size; ++i) {
            PyTuple_SET_ITEM(tuple, i, items[i]);
        }
    }
    return tuple;
}

}  // namespace ouro::container
