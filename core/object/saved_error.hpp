// Setting the exception of the calling thread aside while other code runs.
#pragma once

#include "core/include/Python.h"

namespace ouro::object {

// What is set when this is made is set again when it goes; meanwhile nothing is set.
class SavedError {
public:
    SavedError() : raised_(PyErr_GetRaisedException()) {}
    ~SavedError() { PyErr_SetRaisedException(raised_); }
    SavedError(const SavedError&) = delete;
    SavedError& operator=(const SavedError&) = delete;

private:
    PyObject* const raised_;
};

}  // namespace ouro::object
