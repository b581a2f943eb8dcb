// Objects that repeated work leaves behind: how many of each type there are, and which of the new ones have references
// that no container visits.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "core/include/Python.h"
#include "core/object/own.hpp"

namespace ouro::contract {

using Numbers = std::map<const PyTypeObject*, Py_ssize_t>;

// Whether collections find anything: the engine is not `off`.
bool has_collector();
// Two collections, though the process collects nothing by itself. Returns what the second found.
Py_ssize_t collect_all();
// The garbage that one collection finds, which is neither cleared nor freed.
std::vector<object::Own> kept_garbage();

class NewObjects {
public:
    // `counts`: whether an object is looked at. Immortal ones never are.
    explicit NewObjects(std::function<bool(PyObject*)> counts) : counts_(std::move(counts)) {}

    // How many there are of each type.
    Numbers numbers() const;
    // More of a type than in `before`; types of which there are none more are left out.
    static Numbers more(const Numbers& now, const Numbers& before);
    // Keeps of `grown` the types of which another time left as many more.
    static void keep_same(Numbers& grown, const Numbers& again);
    // What is there now is not new.
    void note_there();
    // How many new ones of a type have references of nobody who visits them.
    Py_ssize_t unexplained(const PyTypeObject* type) const;

private:
    std::function<bool(PyObject*)> counts_;
    std::set<const PyObject*> there_;
};

}  // namespace ouro::contract
