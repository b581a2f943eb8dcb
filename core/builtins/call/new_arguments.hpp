// Arguments of built-in types and their methods: a few objects, by position or by name.
#pragma once

#include <initializer_list>

#include "core/include/Python.h"

namespace ouro::call {

// Stores borrowed references to the arguments in `given`, in the order of `names`; those that are
// missing are left alone. kwargs may be nullptr. False with TypeError.
bool take_arguments(const char* function, std::initializer_list<const char*> names, PyObject* args,
                    PyObject* kwargs, PyObject** given);

// Whether there are so many arguments by position; false with TypeError. Without a name they are the
// items of a tuple.
bool check_count(const char* function, Py_ssize_t given, Py_ssize_t min, Py_ssize_t max);

// False with TypeError if a type that takes none is given arguments by name. kwargs may be nullptr.
bool refuse_keywords(const char* function, PyObject* kwargs);

// A Py_ssize_t of what has __index__; false with TypeError or OverflowError.
bool take_ssize(PyObject* op, Py_ssize_t* value);

// The UTF-8 of an argument that is a str, borrowed; nullptr where op is. False with an exception.
bool take_text(const char* function, const char* name, PyObject* op, const char** text);

}  // namespace ouro::call
