// What C++ code sees of the error indicator beyond the public functions.
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

// Sets an exception of class `type` whose cause and context is the one that is set.
void format_from_cause(PyObject* type, const char* format, ...);

}  // namespace ouro::object
