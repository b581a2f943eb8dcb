// What a traversal visits, looked at before it is believed.
#pragma once

#include <cstddef>
#include <vector>

#include "core/include/Python.h"

namespace ouro::contract {

// Whether an address is that of an object, as far as memory tells; for any value.
bool is_object(const void* address);

struct Visits {
    std::vector<PyObject*> objects;       // in order
    std::vector<const void*> no_objects;  // what was visited and is none
    size_t nulls = 0;
    size_t after_stop = 0;  // visits after one that was answered with another value than zero
    int result = 0;

    size_t count(const PyObject* op) const;
};

// Calls a tp_traverse. Visit number `stop_at` (from 1; 0: none) is answered with `answer`.
Visits visits_of(PyObject* op, traverseproc traverse, size_t stop_at = 0, int answer = 0);

}  // namespace ouro::contract
