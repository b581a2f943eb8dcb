// Which references an instance owns, found by experiment, against those that tp_traverse visits (traverse.unowned,
// traverse.forgets, objects.never-tracked).
//
// A new container, the probe (a list, or what is a str and has attributes), is given to an instance: as an attribute,
// an item, an argument. By how much that raised its count is how many references were taken. Then the instance dies,
// which nobody else refers to: by how much its count falls then is how many of these the instance owned. A visitor that
// came to it more often, or less, was wrong.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/verify/contract/instances.hpp"

namespace ouro::contract {

// A way to give an object to an instance: 0, or -1 with an exception.
struct Way {
    std::string text;  // in a report: "the attribute 'first'"
    std::function<int(PyObject* op, PyObject* value)> put;
};
// Of the attributes that the types in C of an instance define.
std::vector<Way> attributes_of(const PyTypeObject* type);

// Sets each attribute that its types define to a new list, where they let it be.
void fill_attributes(PyObject* op);

void check_references(PyObject* module, const Recipe& recipe, unsigned seconds);

}  // namespace ouro::contract
