// What types are called.
#pragma once

#include "core/include/Python.h"

namespace ouro::type {

// What follows the last dot of "module.name"; all of it if there is none.
const char* last_part(const char* name);

// A type's name without its module's. Valid as long as the type has that name.
const char* short_name(const PyTypeObject* type);

// The str as UTF-8, for tp_name; valid as long as the str. nullptr with ValueError if it has a null character.
const char* checked_name(PyObject* name);

// What __module__ says, a str as a rule. New reference, or nullptr with AttributeError if a class does not say.
PyObject* module_name_of(PyTypeObject* type);
PyObject* qualified_name_of(PyTypeObject* type);
// The name as it is shown: the module and a dot before the qualified name, unless the module is builtins or unknown.
// New str, or nullptr with MemoryError.
PyObject* full_name_of(PyTypeObject* type);

}  // namespace ouro::type
