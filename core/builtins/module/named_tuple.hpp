// Tuples whose items have names, as sys.version_info is one: a static type derived from tuple, whose getset
// table names the items in order.
//
//     PyGetSetDef fields[] = {named_item("major", 0), named_item("minor", 1), {}};
//     PyTypeObject type = {..."sys.thing", .tp_repr = named_tuple_repr, .tp_getset = fields,
//                          .tp_base = &PyTuple_Type};
#pragma once

#include <cstddef>
#include <span>

#include "core/include/Python.h"

namespace ouro::module {

PyObject* get_named_item(PyObject* self, void* index);
// "sys.thing(major=3, minor=13)".
PyObject* named_tuple_repr(PyObject* self);

inline PyGetSetDef named_item(const char* name, intptr_t index) {
    return {name, get_named_item, nullptr, nullptr,
            reinterpret_cast<void*>(index)};  // NOLINT(performance-no-int-to-ptr)
}

// Readies the type if need be and makes one of it, of so many items, which are stolen, also when it fails. If one
// is nullptr, with an exception, so is the result.
PyObject* new_named_tuple(PyTypeObject* type, std::span<PyObject* const> items);

}  // namespace ouro::module
