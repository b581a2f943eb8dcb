// Iterators that keep what they iterate over and a place in it.
//
//     PyObject* iterator = new_position(&Type, sequence, 0);
//     tp_iternext: return step(op, 1, [](PyObject* over, Py_ssize_t index) { ... });
#pragma once

#include "core/mutator/critical_section.hpp"
#include "core/object/own.hpp"

namespace ouro::protocol {

struct Position {
    PyObject ob_base;
    Py_ssize_t index;
    PyObject* over;  // nullptr: the iterator has come to its end
};

inline Position* position(PyObject* op) {
    return reinterpret_cast<Position*>(op);
}

// New reference; nullptr with MemoryError.
PyObject* new_position(PyTypeObject* type, PyObject* over, Py_ssize_t index);
void position_dealloc(PyObject* op);
int position_traverse(PyObject* op, visitproc visit, void* arg);

// Where an iterator is, and a reference to what it iterates over, none at its end.
struct Place {
    object::Own over;
    Py_ssize_t index;
};
Place place_of(PyObject* op);
void move(PyObject* op, Py_ssize_t index);
// Lets go of what it iterates over, if it still has it.
void end_iteration(PyObject* op);

// Moves on by `stride` if item_at(over, index), which gives a new reference, has one. At nullptr the
// iterator has come to its end, unless that is an exception.
template <class ItemAt>
PyObject* step(PyObject* op, Py_ssize_t stride, ItemAt item_at) {
    if (!mutator::is_free_threaded()) {
        if (position(op)->over == nullptr) {
            return nullptr;
        }
        const object::Own over(Py_NewRef(position(op)->over));
        PyObject* item = item_at(over.get(), position(op)->index);
        if (item != nullptr) {
            position(op)->index += stride;
        } else if (PyErr_Occurred() == nullptr) {
            end_iteration(op);
        }
        return item;
    }
    const Place place = place_of(op);
    if (!place.over) {
        return nullptr;
    }
    PyObject* item = item_at(place.over.get(), place.index);
    if (item != nullptr) {
        move(op, place.index + stride);
    } else if (PyErr_Occurred() == nullptr) {
        end_iteration(op);
    }
    return item;
}

constexpr PyTypeObject position_type(const char* name, iternextfunc next, PyMethodDef* methods) {
    return {
        .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = name,
        .tp_basicsize = sizeof(Position),
        .tp_dealloc = position_dealloc,
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
        .tp_traverse = position_traverse,
        .tp_iter = PyObject_SelfIter,
        .tp_iternext = next,
        .tp_methods = methods,
    };
}

}  // namespace ouro::protocol
