// The types of a program's objects: one container type for each combination of what a type can have,
// and the built-in containers, whose deallocation and clear are noted before they run.
#pragma once

#include <array>

#include "tests/program/shadow.hpp"

namespace ouro::program {

struct Box {
    PyVarObject ob_base;
    PyObject* weak_references;
    int node;
    PyObject* slots[1];  // ob_size of them
};

inline Box* box(PyObject* op) {
    return reinterpret_cast<Box*>(op);
}

// Readies the types, and puts the notes into the built-in ones. Once the runtime is started.
void ready_types();
PyTypeObject* box_type(const Traits& traits);

// What the types call. One is listening at a time; without one, objects are not noted.
class Listener {
public:
    virtual ~Listener() = default;
    virtual void finalize(PyObject* op) = 0;
    // Of a box: the whole of it.
    virtual int clear(PyObject* op) = 0;
    virtual void deallocate(PyObject* op) = 0;
    virtual PyObject* call(PyObject* op, PyObject* weak) = 0;
    // Of a built-in container: what it did before, to be called.
    virtual int clear_built_in(PyObject* op, inquiry original) = 0;
    virtual void deallocate_built_in(PyObject* op, destructor original) = 0;
};
inline Listener* listener = nullptr;

}  // namespace ouro::program
