// What the files of tuple share.
#pragma once

#include "core/include/Python.h"

namespace ouro::container {

// The one tuple without items; immortal.
extern PyTupleObject empty_tuple;

// What the type is made of (tuple_items.cpp).
extern PySequenceMethods tuple_as_sequence;
extern PyMappingMethods tuple_as_mapping;
extern PyMethodDef tuple_methods[];
PyObject* tuple_new(PyTypeObject* type, PyObject* args, PyObject* kwargs);
PyObject* tuple_iterate(PyObject* op);

}  // namespace ouro::container
