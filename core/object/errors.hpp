// What C++ code sees of the error indicator beyond the public functions.
#pragma once

#include "core/include/Python.h"

namespace ouro::object {

// The message of the exception that is set if it is a str, else the empty string. Valid until the
// next change.
const char* error_message();

// What is set when this is made is set again when it goes; meanwhile nothing is set.
class SavedError {
public:
    SavedError() { PyErr_Fetch(&type_, &value_, &traceback_); }
    ~SavedError() { PyErr_Restore(type_, value_, traceback_); }
    SavedError(const SavedError&) = delete;
    SavedError& operator=(const SavedError&) = delete;

private:
    PyObject* type_;
    PyObject* value_;
    PyObject* traceback_;
};

}  // namespace ouro::object
