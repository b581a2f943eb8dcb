// How a program can give an object to an instance: as an attribute, an item, an argument.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/verify/contract/channel.hpp"

namespace ouro::contract {

struct Way {
    std::string text;                                       // in a report: "the attribute 'first'"
    std::function<int(PyObject* op, PyObject* value)> put;  // 0, or -1 with an exception
    Place place;  // the module's function that takes it, if there is one
    bool is_set;  // an attribute or item
    // A second takes the place of a first, of which the instance then has nothing to keep.
    bool replaces;
};
// By the attributes that the types in C of an instance define.
std::vector<Way> attributes_of(const PyTypeObject* type);
// By these, its items, its methods, and its tp_init called anew.
std::vector<Way> ways_of(const PyTypeObject* type);

// A use of an instance that needs nothing else: to get an attribute, to call a method without arguments, repr() and the
// like.
struct Use {
    std::string text;                             // "the attribute 'first'"
    std::function<PyObject*(PyObject* op)> call;  // new reference; nullptr with an exception
    Place place;
    bool only_looks;  // by its nature it stores nothing
};
std::vector<Use> uses_of(const PyTypeObject* type);

// Sets each attribute that its types define to a new list, or what is a str, where they let it be.
void fill_attributes(PyObject* op);

// A new container of which it is known who refers to it: a list; or, for who takes nothing but text, an instance of a
// class that derives from str, which may have attributes.
enum class Probe { kList, kText };
// nullptr, without an exception, if there is no memory.
PyObject* make_probe(Probe kind);
// The same, of a class whose instances may have weak references.
PyObject* make_watched_probe(Probe kind);
// "the attribute 'first' (an instance of a class derived from str)".
std::string text_of(const Way& way, Probe kind);

}  // namespace ouro::contract
