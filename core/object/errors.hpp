// What C++ code sees of the error indicator beyond the public functions.
#pragma once

#include "core/include/Python.h"

namespace ouro::object {

inline constexpr size_t kMessageSize = 512;

// The message of the exception that is set, or the empty string. Valid until the next change.
const char* error_message();

// What is set when this is made is set again when it goes; meanwhile nothing is set.
class SavedError {
public:
    SavedError();
    ~SavedError();
    SavedError(const SavedError&) = delete;
    SavedError& operator=(const SavedError&) = delete;

private:
    PyObject* type_;
    char message_[kMessageSize];
};

}  // namespace ouro::object
