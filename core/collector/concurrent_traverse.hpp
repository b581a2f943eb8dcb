// Traversing objects concurrently with mutators.
#pragma once

#include <cstddef>

#include "core/collector/world.hpp"
#include "core/heap/heap.hpp"
#include "core/include/Python.h"
#include "core/object/object.hpp"
#include "core/option/settings.hpp"

namespace ouro::collector {

// Whether a type promises that its tp_traverse may run concurrently with mutators. An object's type is then read by a
// single load.
inline bool is_flagged(const PyTypeObject* type) {
    return (type->tp_flags & OURO_TPFLAGS_CONCURRENT_TRAVERSE) != 0;
}

// Objects of other types are traversed in a stop. With the setting traverse=optimistic they are traversed concurrently,
// too: freed memory keeps its contents meanwhile.
inline bool may_traverse_concurrently(const PyObject* op) {
    return is_flagged(object::type_of(op)) ||
           option::settings().traverse == option::Traverse::kOptimistic;
}

// Calls op's tp_traverse. One that made no promise may, concurrently with mutators, read a length that does not belong
// to its array. `visit` then tells it to stop, by returning non-zero, when it has visited more references than the
// heap has room for.
inline void call_traverse(PyObject* op, World world, visitproc visit, void* arg) {
    const PyTypeObject* type = object::type_of(op);
    if (world == World::kStopped || is_flagged(type)) {
        type->tp_traverse(op, visit, arg);
        return;
    }
    struct Bounded {
        visitproc visit;
        void* arg;
        size_t left;
    } bounded = {visit, arg, heap::bytes_in_use() / sizeof(PyObject*)};
    type->tp_traverse(
        op,
        [](PyObject* member, void* self) {
            auto* each = static_cast<Bounded*>(self);
            return each->left-- == 0 ? -1 : each->visit(member, each->arg);
        },
        &bounded);
}

}  // namespace ouro::collector
