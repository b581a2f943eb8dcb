#include "core/verify/reference_collector.hpp"

#include <unordered_map>
#include <vector>

#include "core/heap/view.hpp"

namespace ouro::verify {
namespace {

bool is_condemned(const PyObject* op) {
    const heap::HeapView<heap::Stopped> view;
    return view.is_condemned(view.slot_of(op));
}

struct Seen {
    Py_ssize_t references = 0;  // found by traversal
    Py_ssize_t held = 0;        // the caller's
    bool reachable = false;
};
using Objects = std::unordered_map<PyObject*, Seen>;

int count_reference(PyObject* op, void* arg) {
    auto& objects = *static_cast<Objects*>(arg);
    if (const auto it = objects.find(op); it != objects.end()) {
        ++it->second.references;
    }
    return 0;
}

struct Trace {
    Objects* objects;
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

}  // namespace

std::unordered_set<PyObject*> reference_garbage(std::span<PyObject* const> objects,
                                                std::span<PyObject* const> held) {
    Objects seen;
    for (PyObject* op : objects) {
        seen.emplace(op, Seen());
    }
    for (PyObject* op : held) {
        if (const auto it = seen.find(op); it != seen.end()) {
            ++it->second.held;
        }
    }
    for (const auto& [op, unused] : seen) {
        Py_TYPE(op)->tp_traverse(op, count_reference, &seen);
    }
    Trace trace{&seen, {}};
    trace.pending.reserve(seen.size());  // no exception passes through a type's code
    for (const auto& [op, found] : seen) {
        // A collector has a reference to what it has condemned.
        const Py_ssize_t collectors = is_condemned(op) ? 1 : 0;
        if (Py_REFCNT(op) - found.held - collectors != found.references || Py_REFCNT(op) == 0) {
            reach(op, &trace);
        }
    }
    while (!trace.pending.empty()) {
        PyObject* op = trace.pending.back();
        trace.pending.pop_back();
        Py_TYPE(op)->tp_traverse(op, reach, &trace);
    }
    std::unordered_set<PyObject*> garbage;
    for (const auto& [op, found] : seen) {
        if (!found.reachable) {
            garbage.insert(op);
        }
    }
    return garbage;
}

}  // namespace ouro::verify
