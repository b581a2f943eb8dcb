// Who is told of changes of types.
#pragma once

#include "core/include/Python.h"

namespace ouro::type {

// Calls the watchers whose bits are set.
void tell_watchers(PyTypeObject* type, unsigned which);

// At the end of the runtime: there are none any more.
void forget_type_watchers();

}  // namespace ouro::type
