// The rule of every call: a result and no exception, or no result and one.
#pragma once

#include "core/include/Python.h"
#include "core/mutator/state.hpp"

namespace ouro::call {

// For an argument that is NULL: nullptr, with what is set, or with SystemError.
PyObject* refuse_null();

// Says what `callable` did that no call may: SystemError, with what was set as its context. Steals result. nullptr.
PyObject* refuse_result(PyObject* callable, PyObject* result);

// The result of a call of `callable`, or nullptr with an exception.
inline PyObject* checked_result(PyObject* callable, PyObject* result) {
    if ((result == nullptr) == (mutator::error.raised != nullptr)) [[likely]] {
        return result;
    }
    return refuse_result(callable, result);
}

}  // namespace ouro::call
