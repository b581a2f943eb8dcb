// What containers look like.
#pragma once

#include "core/builtins/text/text_buffer.hpp"
#include "core/include/Python.h"

namespace ouro::container {

// tp_repr. New references, or nullptr with the exception of an item's repr or MemoryError.
PyObject* list_repr(PyObject* op);
PyObject* tuple_repr(PyObject* op);
PyObject* dict_repr(PyObject* op);
PyObject* set_repr(PyObject* op);

// Appends the repr of an object, which may be nullptr; false with an exception.
bool append_repr(PyObject* op, text::TextBuffer* out);

}  // namespace ouro::container
