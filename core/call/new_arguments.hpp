// Arguments of the tp_new of built-in types: a few objects, by position or by name.
#pragma once

#include <initializer_list>

#include "core/include/Python.h"

namespace ouro::object {

// Stores borrowed references to the arguments in `given`, in the order of `names`; those that are
// missing are left alone. kwargs may be nullptr. False with TypeError.
bool take_arguments(const char* function, std::initializer_list<const char*> names, PyObject* args,
                    PyObject* kwargs, PyObject** given);

// The UTF-8 of an argument that is a str, borrowed; nullptr where op is. False with an exception.
bool take_text(const char* function, const char* name, PyObject* op, const char** text);

}  // namespace ouro::object
