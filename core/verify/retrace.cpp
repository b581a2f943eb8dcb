#include "core/verify/retrace.hpp"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/heap/view.hpp"
#include "core/verify/reference_collector.hpp"
#include "core/verify/rules/heap_rules.hpp"

namespace ouro::verify {
namespace {

[[noreturn]] void fail(PyObject* op, const std::string& what) {
    Py_FatalError(
        fmt::format("verify: the {} at {} {}", Py_TYPE(op)->tp_name, static_cast<void*>(op), what)
            .c_str());
}

[[noreturn]] void fail_for_memory() {
    Py_FatalError("verify: there is no memory to check the collection with");
}

std::vector<PyObject*> tracked_objects() {
    std::vector<PyObject*> objects;
    heap::for_each_container_block([&](const heap::Block* block) {
        for (uint32_t i = 0; i < block->bump; ++i) {
            PyObject* op = heap::object_at(block, i);
            if (heap::address_is_object(op)) {
                objects.push_back(op);
            }
        }
    });
    return objects;
}

using Counts = std::unordered_map<PyObject*, Py_ssize_t>;

struct Check {
    PyObject* from;
    Counts* references;
};

int check_reference(PyObject* op, void* arg) {
    const auto& check = *static_cast<Check*>(arg);
    const heap::HeapView<heap::Stopped> view;
    if (heap::has_metadata(op) && (view.state(view.slot_of(op)) & heap::kAllocated) == 0) {
        fail(check.from, "refers to an object that was freed");
    }
    try {
        ++(*check.references)[op];
    } catch (const std::bad_alloc&) {  // it must not pass through the type's code
        fail_for_memory();
    }
    return 0;
}

struct Visits {
    const PyObject* wanted;
    size_t times;
};

int count_visits(PyObject* op, void* arg) {
    auto* visits = static_cast<Visits*>(arg);
    visits->times += op == visits->wanted ? 1 : 0;
    return 0;
}

// The types of those that visit an object, and how often they do: "C (2), list (1)".
std::string visitors_of(const PyObject* wanted) {
    std::map<std::string_view, size_t> types;
    for (PyObject* op : tracked_objects()) {
        Visits visits{wanted, 0};
        Py_TYPE(op)->tp_traverse(op, count_visits, &visits);
        if (visits.times != 0) {
            types[Py_TYPE(op)->tp_name] += visits.times;
        }
    }
    std::string text;
    for (const auto& [name, times] : types) {
        fmt::format_to(std::back_inserter(text), "{}{} ({})", text.empty() ? "" : ", ", name,
                       times);
    }
    return text;
}

void retrace() {
    Counts references;
    for (PyObject* op : tracked_objects()) {
        Check check{op, &references};
        Py_TYPE(op)->tp_traverse(op, check_reference, &check);
    }
    for (const auto& [op, count] : references) {
        if (Py_REFCNT(op) < count) {
            fail(op,
                 fmt::format("has {} references but a count of {}: tp_traverse of one of the "
                             "types that visit it visits what is not owned: {}. Type Objects, "
                             "tp_traverse: what an instance has a strong reference to, and nothing "
                             "else, is visited",
                             count, Py_REFCNT(op), visitors_of(op)));
        }
    }
}

}  // namespace

void check_candidates(std::span<PyObject* const> candidates, bool all,
                      std::span<PyObject* const> held) noexcept try {
    const std::vector<PyObject*> objects = tracked_objects();
    const std::unordered_set<PyObject*> garbage = reference_garbage(objects, held);
    const std::unordered_set<PyObject*> found(candidates.begin(), candidates.end());
    if (found.size() != candidates.size()) {
        Py_FatalError("verify: a candidate is listed twice");
    }
    for (PyObject* op : candidates) {
        if (!heap::address_is_object(op)) {
            fail(op, "is a candidate but not a tracked object");
        }
        if (!garbage.contains(op)) {
            fail(op, "is a candidate but reachable");
        }
    }
    for (PyObject* op : garbage) {
        if (all && !found.contains(op)) {
            fail(op, "is garbage that the engine did not find");
        }
    }
} catch (const std::bad_alloc&) {
    fail_for_memory();
}

void check_heap(bool retraces, bool looks) noexcept try {
    if (looks) {
        rules::check_tracked();
    }
    if (retraces) {
        retrace();
    }
} catch (const std::bad_alloc&) {
    fail_for_memory();
}

}  // namespace ouro::verify
