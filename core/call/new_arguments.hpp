// Arguments of the functions of built-in types: a few objects, by position or by name.
#pragma once

#include <initializer_list>

#include "core/include/Python.h"

namespace ouro::object {

// Stores borrowed references to the arguments in `given`, in the order of `names`; those that are
// missing are left alone. kwargs may be nullptr. False with TypeError.
bool take_arguments(const char* function, std::initializer_list<const char*> names, PyObject* args,
                    PyObject* kwargs, PyObject** given);

// False with TypeError if a function that takes from `least` to `most` arguments is given another number.
bool check_count(const char* function, Py_ssize_t given, Py_ssize_t least, Py_ssize_t most);

// False with TypeError if a type that takes none is given arguments by name. kwargs may be nullptr.
bool refuse_keywords(const char* function, PyObject* kwargs);

// The UTF-8 of an argument that is a str, borrowed; nullptr where op is. False with an exception.
bool take_text(const char* function, const char* name, PyObject* op, const char** text);

}  // namespace ouro::object
