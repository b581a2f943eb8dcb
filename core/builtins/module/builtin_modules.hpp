// The modules that are part of the program: the runtime's own, and what PyImport_AppendInittab added.
#pragma once

#include "core/include/Python.h"

namespace ouro::module {

// The function that makes the built-in module of that name; nullptr: there is none. An entry without a
// function stands for a module that is there from the start and is never made.
const struct _inittab* find_builtin(const char* name);

// Whether a module is the runtime's own: those can do without the global lock.
bool is_own(const struct _inittab* entry);

}  // namespace ouro::module
