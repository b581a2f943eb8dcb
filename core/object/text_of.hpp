// str() and repr() of any object.
#pragma once

#include "core/include/Python.h"

namespace ouro::object {

enum class Text { kStr, kRepr };

// What the type's tp_str or tp_repr says; without them, class and address; "<NULL>" for nullptr. A
// new str, or nullptr with an exception.
PyObject* text_of(PyObject* op, Text kind);

// The name of a type with its module. A new str, or nullptr with MemoryError.
PyObject* full_name_of(PyTypeObject* type);

}  // namespace ouro::object
