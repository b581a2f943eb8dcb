// Slices as the sequences use them.
#pragma once

#include "core/include/Python.h"

namespace ouro::container {

// Items start, start + step, ... of a sequence: `count` of them.
struct Stride {
    Py_ssize_t start, stop, step, count;
};

// What a slice names in a sequence of that length; false with an exception. The bounds are asked for before
// the length is: asking may run code that changes the sequence.
bool unpack_slice(PyObject* slice, Stride* stride);
void adjust(Stride* stride, Py_ssize_t length);

// What slice.indices(length) gives, a tuple of ints of any size (new reference), or nullptr with an exception.
// `length` is an int that is not negative.
PyObject* slice_indices(PyObject* slice, PyObject* length);

// A bound of a slice, cut to what fits; false with TypeError. None is no bound.
bool slice_bound(PyObject* op, Py_ssize_t* bound);

// sq_item or a slice for mp_subscript of a sequence: `item(index)`, for any index, and `slice(stride)` with
// the bounds as unpack_slice leaves them, make the result.
template <class Length, class Item, class Slice>
PyObject* subscript(PyObject* key, const char* refusal, Length length, Item item, Slice slice) {
    if (PyIndex_Check(key) != 0) {
        const Py_ssize_t index = PyNumber_AsSsize_t(key, PyExc_IndexError);
        if (index == -1 && PyErr_Occurred() != nullptr) {
            return nullptr;
        }
        return item(index < 0 ? index + length() : index);
    }
    if (!PySlice_Check(key)) {
        return PyErr_Format(PyExc_TypeError, refusal, Py_TYPE(key)->tp_name);
    }
    Stride stride;
    return unpack_slice(key, &stride) ? slice(stride) : nullptr;
}

}  // namespace ouro::container
