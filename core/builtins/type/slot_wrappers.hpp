// From Python to C: each of these calls a slot's function, `wrapped`, with what a special method was
// called with, a tuple, and makes an object of its result. New reference, or nullptr with an exception.
#pragma once

#include "core/include/Python.h"

namespace ouro::type {

PyObject* wrap_unary(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_binary(PyObject* self, PyObject* args, void* wrapped);
// The same by another name, so that slots of numbers and of sequences are told apart.
PyObject* wrap_binary_left(PyObject* self, PyObject* args, void* wrapped);
// The object is the right operand.
PyObject* wrap_binary_right(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_ternary(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_ternary_right(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_inquiry(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_length(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_hash(PyObject* self, PyObject* args, void* wrapped);

PyObject* wrap_contains(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_set_key(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_delete_key(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_repeat(PyObject* self, PyObject* args, void* wrapped);
// Negative indexes count from the end.
PyObject* wrap_item(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_set_item(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_delete_item(PyObject* self, PyObject* args, void* wrapped);

PyObject* wrap_less(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_less_equal(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_equal(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_not_equal(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_greater(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_greater_equal(PyObject* self, PyObject* args, void* wrapped);

// These two refuse to go around what a class in C between has for it: TypeError.
PyObject* wrap_set_attribute(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_delete_attribute(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_get(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_set(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_delete(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_next(PyObject* self, PyObject* args, void* wrapped);
PyObject* wrap_finalize(PyObject* self, PyObject* args, void* wrapped);

// These take keyword arguments, a dict or nullptr.
PyObject* wrap_call(PyObject* self, PyObject* args, void* wrapped, PyObject* kwargs);
PyObject* wrap_init(PyObject* self, PyObject* args, void* wrapped, PyObject* kwargs);

}  // namespace ouro::type
