// What a type's dictionary holds of its C definitions.
#pragma once

#include "core/include/Python.h"
#include "core/type/names.hpp"

namespace ouro::type {

// Of PyMethodDescr_Type, PyClassMethodDescr_Type, PyMemberDescr_Type and PyGetSetDescr_Type.
struct Descriptor {
    PyObject ob_base;
    PyTypeObject* type;  // whose attribute it is
    PyObject* name;
    void* definition;  // PyMethodDef, PyMemberDef, PyGetSetDef
};

// A str for a name of an attribute, one and the same for equal names. New reference.
PyObject* name_of_attribute(const char* name);

// The part of a doc string after a signature for inspection ("name(...)\n--\n\n"), if it has one.
const char* doc_of(const char* text);

}  // namespace ouro::type
