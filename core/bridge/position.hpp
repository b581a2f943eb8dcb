// Objects that mark a place in CPython's list of old objects: others' unlinking keeps it right, whatever dies.
// `gc.get_objects()` shows those of a cycle in flight, as objects of type `ouroboros.position`.
#pragma once

#include <Python.h>

#include "core/bridge/gc_list.hpp"

namespace ouro::bridge {

// Readies the type. False with an exception.
bool ready_position();
// A tracked object, new reference; nullptr with an exception.
PyObject* new_position();

// One place, in no list until it is put somewhere.
class Position {
public:
    // False with an exception.
    bool make();
    // Tracked, directly before `place`, wherever it was.
    void put_before(GcHead* place);
    // Out of its list.
    void take_out();

    GcHead* head() const { return head_of(object_); }
    GcHead* next() const { return next_of(head()); }

private:
    PyObject* object_ = nullptr;
};

}  // namespace ouro::bridge
