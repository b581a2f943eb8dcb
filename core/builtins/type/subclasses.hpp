// What derives from a type directly: so that a change of one is known to the others.
#pragma once

#include <functional>

#include "core/include/Python.h"

namespace ouro::type {

// A type knows its direct subclasses without keeping them alive. All of these take the lock of types.

// Enters a type with each of its bases (tp_bases), once. False with MemoryError, and it is entered nowhere.
bool enter_bases(PyTypeObject* type);

// For a type that dies, before its bases are dropped: removes it from their subclasses, and frees the
// list of its own.
void leave_bases(PyTypeObject* type);

// Calls visit(subclass) for each direct subclass that is alive, until it returns false; it may make and
// drop types. Returns what the last call did, true if there was none.
bool for_each_subclass(PyTypeObject* type, const std::function<bool(PyTypeObject*)>& visit);

// A list of the direct subclasses that are alive, in the order in which they were made. New reference;
// nullptr with MemoryError.
PyObject* subclasses_of(PyTypeObject* type);

}  // namespace ouro::type
