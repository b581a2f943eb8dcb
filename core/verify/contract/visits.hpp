// What a traversal visits, looked at before it is believed.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "core/include/Python.h"

namespace ouro::contract {

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

// Takes references to all that an instance visits, for good: so that it survives who gives back more than there were.
void keep_alive(PyObject* op);

// How often all containers together visit an object, or have it as a key that they leave out: references that have an
// explanation.
Py_ssize_t visits_by_all(PyObject* op);
// The same of many, which are the keys.
void count_visits_by_all(std::map<PyObject*, Py_ssize_t>& visits);

// How often `op` is visited by these and by whatever they reach, but not through types and modules, which refer
// to everything, nor through `op`, if it is none of them.
struct Reached {
    Py_ssize_t visits = 0;
    bool is_plain = true;  // and all that could be followed
};
Reached reached_from(std::vector<PyObject*> those, const PyObject* op);
// Whether a traversal of `op` comes to an address, be there an object or not.
bool visits_address(PyObject* op, const void* address);

}  // namespace ouro::contract
