// The objects: nodes with two references, which know of what they refer to who it was. Some are finalized, and the
// finalizers do all that finalizers may do.
#pragma once

#include <ouroboros.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "tests/support/revived.hpp"

namespace ouro::soak {

struct Node {
    PyObject ob_base;
    uint64_t cookie;
    uint64_t id;
    std::array<PyObject*, 2> slots;
    std::array<uint64_t, 2> ids;  // of what the slots refer to
    PyObject* weak_references;
};

inline Node* node(PyObject* op) {
    return reinterpret_cast<Node*>(op);
}

extern PyTypeObject NodeType;
// As one of an extension that knows nothing of concurrent collectors.
extern PyTypeObject PlainNodeType;
extern PyTypeObject FinalNodeType;

// What finalizers revive is appended to it, if there is one.
extern test::RevivedList revived_list;
// In a child of the program's: the next finalizer ends it, with this status.
extern bool exit_from_finalizer;
inline constexpr int kExitStatus = 9;

// False with an exception.
bool ready_types();

// After a call that may have failed: says whether it did, and drops the exception.
bool check_call(bool failed);

// New reference, or NULL without an exception.
PyObject* make_node(PyTypeObject* type);

void link(PyObject* from, size_t slot, PyObject* to);

bool is_node(PyObject* op);

// That it and what it refers to are what they were, if it is a node; may be NULL.
void check_whole(PyObject* op);

// Waits for a forked process, and counts it if it ends with another status than 0 and `other`. A negative pid is that of
// a fork that was refused.
void wait_for_child(int pid, int other = 0);

}  // namespace ouro::soak
