// The items of an iterable, one after the other.
#pragma once

#include "core/include/Python.h"

namespace ouro::container {

// Calls `take` with each item that an iterable gives, which is borrowed, until that says false, with an
// exception; so is the result.
template <class Take>
bool for_each(PyObject* iterable, const Take& take) {
    PyObject* iterator = PyObject_GetIter(iterable);
    if (iterator == nullptr) {
        return false;
    }
    bool good = true;
    while (good) {
        PyObject* item = PyIter_Next(iterator);
        if (item == nullptr) {
            good = PyErr_Occurred() == nullptr;
            break;
        }
        good = take(item);
        Py_DECREF(item);
    }
    Py_DECREF(iterator);
    return good;
}

}  // namespace ouro::container
