// Modules as objects, and what the files of this room share about them.
#pragma once

#include "core/include/Python.h"

namespace ouro::module {

struct ModuleObject {
    PyObject ob_base;
    PyObject* dict;     // nullptr only while it is made, and once it was cleared
    PyModuleDef* def;   // nullptr: made without one
    void* state;        // PyMem_ memory
    const void* token;  // what tells the modules of a definition from others
    PyObject* name;     // as it was made, for messages
    PyObject* weaklist;
    bool needs_gil;  // it did not say that it can do without
};

inline ModuleObject* as_module(PyObject* op) {
    return reinterpret_cast<ModuleObject*>(op);
}

// Zeroed state of m_size bytes, if the definition wants any and there is none. False with MemoryError.
bool allocate_state(ModuleObject* module, const PyModuleDef* def);

// Adds functions to any object as attributes of its own. 0, or -1 with an exception.
int add_functions(PyObject* op, PyObject* module_name, PyMethodDef* functions);

// Makes what a module's dictionary holds None, so that nothing is kept alive by it: what begins with one
// underscore first, as it is what the rest may still use.
void empty_dict(PyObject* dict);

}  // namespace ouro::module
