// Finding attributes of types.
#pragma once

#include "core/builtins/type/lookup_cache.hpp"
#include "core/include/Python.h"

namespace ouro::type {

// lookup() where the cache does not know.
int look_in_bases(PyTypeObject* type, PyObject* name, PyObject** result);

// What the type's order of resolution has first for a name: 1 and a new reference; 0 and nullptr; -1 with an
// exception. `name` is a str.
inline int lookup(PyTypeObject* type, PyObject* name, PyObject** result) {
    *result = nullptr;
    return find_cached(type, name, result) ? *result != nullptr : look_in_bases(type, name, result);
}

// The same for a name written in C.
int lookup(PyTypeObject* type, const char* name, PyObject** result);

// TypeError for a name of an attribute that is no str; false.
bool refuse_name(PyObject* name);
// False with TypeError if a name of an attribute is no str.
inline bool check_name(PyObject* name) {
    return PyUnicode_Check(name) != 0 || refuse_name(name);
}

}  // namespace ouro::type
