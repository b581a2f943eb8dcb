// What is known of a module before it is made: ModuleSpec.
#pragma once

#include "core/include/Python.h"

namespace ouro::module {

struct Spec {
    PyObject ob_base;
    PyObject* name;
    PyObject* loader;     // None: there are no loader objects
    PyObject* origin;     // a file, or "built-in"; None: a package without one
    PyObject* locations;  // of a package: a list of directories; else None
    PyObject* dict;
    char has_location;  // whether the origin is a file
    char initializing;  // the module is being executed
};
extern PyTypeObject SpecType;

inline Spec* as_spec(PyObject* op) {
    return reinterpret_cast<Spec*>(op);
}

// New reference, or nullptr with MemoryError. `origin` and `locations` may be nullptr.
PyObject* new_spec(PyObject* name, PyObject* origin, bool is_file, PyObject* locations);

// Gives a module what its spec says of it: __spec__, __loader__, __package__, __path__, __file__, as far as it
// has not got them. 0, or -1 with an exception.
int describe(PyObject* module, PyObject* spec);

}  // namespace ouro::module
