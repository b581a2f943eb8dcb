// Visiting what objects refer to, in parts where they are large and CPython lets their parts be seen.
#pragma once

#include <Python.h>

#include "core/collector/deadline.hpp"

namespace ouro::bridge {

// From 3.14 on a frame borrows references from its own variables. Of a suspended generator a traversal shows them as any
// other, except to CPython's own counting: more references may be found than are counted.
inline constexpr bool kBorrowed = PY_VERSION_HEX >= 0x030E0000;

// Whether a traversal of it may show borrowed references.
inline bool may_borrow(PyObject* op) {
    return kBorrowed &&
           (PyGen_CheckExact(op) || PyCoro_CheckExact(op) || PyAsyncGen_CheckExact(op));
}

// Whether so many references, found in some objects to themselves, are all that are counted. With borrowed ones among
// them one from outside may be hidden, which the test that CPython makes itself finds.
inline bool makes_up_for(size_t references, size_t counts) {
    return references == counts || (kBorrowed && references > counts);
}

// Where the traversal of a large list, tuple, dict, set or deque was interrupted. What it holds is an address, and nothing is
// read through it: whoever goes on has come to that object again. If it is another by then, or has changed, some
// references are visited twice or not at all, as anything may have happened between two slices.
class Traversal {
public:
    // Visits all that op refers to, or as much as until the deadline: false, and the same call goes on with it.
    bool traverse(PyObject* op, visitproc visit, void* arg, collector::Deadline& deadline);
    // Forgets the interrupted one.
    void reset() { of_ = nullptr; }

private:
    Py_ssize_t resumed(const PyObject* op);
    bool interrupt(const PyObject* op, Py_ssize_t next);
    bool visit_items(PyObject* op, PyObject* const* items, visitproc visit, void* arg,
                     collector::Deadline& deadline);
    bool visit_dict(PyObject* op, visitproc visit, void* arg, collector::Deadline& deadline);
    bool visit_set(PyObject* op, visitproc visit, void* arg, collector::Deadline& deadline);
    bool visit_deque(PyObject* op, visitproc visit, void* arg, collector::Deadline& deadline);

    const PyObject* of_ = nullptr;
    Py_ssize_t next_ = 0;
};

}  // namespace ouro::bridge
