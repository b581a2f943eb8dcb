#include "core/verify/retrace.hpp"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/heap/heap.hpp"

namespace ouro::verify {
namespace {

struct Seen {
    Py_ssize_t references = 0;  // found by traversal
    bool reachable = false;
};
using Heap = std::unordered_map<PyObject*, Seen>;

[[noreturn]] void fail(PyObject* op, const std::string& what) {
    Py_FatalError(
        fmt::format("verify: the {} at {} {}", Py_TYPE(op)->tp_name, static_cast<void*>(op), what)
            .c_str());
}

Heap tracked_objects() {
    Heap objects;
    heap::for_each_container_block([&](const heap::Block* block) {
        for (uint32_t i = 0; i < block->capacity; ++i) {
            PyObject* op = heap::object_at(block, i);
            if (heap::address_is_object(op)) {
                objects.emplace(op, Seen());
            }
        }
    });
    return objects;
}

int count_reference(PyObject* op, void* arg) {
    auto& objects = *static_cast<Heap*>(arg);
    if (const auto it = objects.find(op); it != objects.end()) {
        ++it->second.references;
    }
    return 0;
}

struct Trace {
    Heap* objects;
    std::vector<PyObject*> pending;
};

int reach(PyObject* op, void* arg) {
    auto& trace = *static_cast<Trace*>(arg);
    if (const auto it = trace.objects->find(op);
        it != trace.objects->end() && !it->second.reachable) {
        it->second.reachable = true;
        trace.pending.push_back(op);
    }
    return 0;
}

void count_references(Heap& objects) {
    for (const auto& [op, seen] : objects) {
        Py_TYPE(op)->tp_traverse(op, count_reference, &objects);
    }
}

int check_reference(PyObject* op, void* arg) {
    if (heap::has_metadata(op) && (heap::tables.state[heap::slot_of(op)] & heap::kAllocated) == 0) {
        fail(static_cast<PyObject*>(arg), "refers to an object that was freed");
    }
    return 0;
}

}  // namespace

void check_candidates(std::span<PyObject* const> candidates) {
    Heap objects = tracked_objects();
    count_references(objects);
    Trace trace{&objects, {}};
    for (const auto& [op, seen] : objects) {
        if (Py_REFCNT(op) != seen.references) {
            reach(op, &trace);
        }
    }
    while (!trace.pending.empty()) {
        PyObject* op = trace.pending.back();
        trace.pending.pop_back();
        Py_TYPE(op)->tp_traverse(op, reach, &trace);
    }
    const std::unordered_set<PyObject*> found(candidates.begin(), candidates.end());
    if (found.size() != candidates.size()) {
        Py_FatalError("verify: a candidate is listed twice");
    }
    for (PyObject* op : candidates) {
        const auto it = objects.find(op);
        if (it == objects.end()) {
            fail(op, "is a candidate but not a tracked object");
        }
        if (it->second.reachable) {
            fail(op, "is a candidate but reachable");
        }
    }
    for (const auto& [op, seen] : objects) {
        if (!seen.reachable && !found.contains(op)) {
            fail(op, "is garbage that the engine did not find");
        }
    }
}

void check_heap() {
    Heap objects = tracked_objects();
    count_references(objects);
    for (const auto& [op, seen] : objects) {
        if (Py_REFCNT(op) < seen.references) {
            fail(op, fmt::format("has {} references but a count of {}", seen.references,
                                 Py_REFCNT(op)));
        }
        Py_TYPE(op)->tp_traverse(op, check_reference, op);
    }
}

}  // namespace ouro::verify
