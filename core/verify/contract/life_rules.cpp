#include "core/verify/contract/life_rules.hpp"

#include <fmt/format.h>

#include "core/heap/heap.hpp"
#include "core/object/object.hpp"
#include "core/object/own.hpp"
#include "core/verify/contract/module_types.hpp"
#include "core/verify/contract/new_objects.hpp"
#include "core/verify/contract/object_rules.hpp"
#include "core/verify/contract/visits.hpp"
#include "core/verify/contract/ways.hpp"

namespace ouro::contract {
namespace {

using object::Own;

// Makes and drops so many instances; whether each was freed at once, as far as tp_free tells. A type that keeps its
// dead for later, or revives them, is not judged.
bool lives_and_dies(PyObject* module, const Recipe& recipe, size_t instances) {
    const size_t before = freed_instances();
    for (size_t i = 0; i < instances; ++i) {
        PyObject* op = make_instance(module, recipe);
        if (op == nullptr) {
            return false;
        }
        announce(Rule::kCallCrashes, Py_TYPE(op)->tp_name, function_at(Py_TYPE(op)->tp_dealloc),
                 "the death of an instance");
        Py_DECREF(op);
    }
    return freed_instances() - before == instances;
}

// References to a type but those of its instances: calls may make and drop more of them than are told.
Py_ssize_t other_references(const PyTypeObject* type) {
    const NewObjects instances([type](PyObject* op) { return Py_TYPE(op) == type; });
    return Py_REFCNT(type) - instances.numbers()[type];
}

void look_at_type(PyObject* module, const Recipe& recipe, PyTypeObject* type) {
    constexpr size_t kInstances = 16;
    if (!is_heap_type(type) || !lives_and_dies(module, recipe, 1)) {
        return;
    }
    for (size_t i = 0; i < 4 * kInstances; ++i) {
        Py_INCREF(type);  // so that it survives whoever drops too many
    }
    const Py_ssize_t before = other_references(type);
    if (!lives_and_dies(module, recipe, kInstances)) {
        return;
    }
    const Py_ssize_t now = other_references(type);
    if (now - before >= static_cast<Py_ssize_t>(kInstances)) {
        report(Rule::kDeallocType, type->tp_name, place_of(type, type->tp_dealloc),
               fmt::format("{} instances died, and the type's count rose from {} to {}", kInstances,
                           before, now));
    } else if (before - now >= static_cast<Py_ssize_t>(kInstances)) {
        report(
            Rule::kDeallocTypeTwice, type->tp_name, place_of(type, type->tp_dealloc),
            fmt::format("{} instances were made and died, and the type's count fell from {} to {}",
                        kInstances, before, now));
    }
}

// The instance and a tuple refer to each other; a tuple cannot be cleared, so tp_clear must break the cycle.
void look_at_cycle(PyObject* module, const Recipe& recipe, PyTypeObject* type, const Way& way) {
    if (!has_collector() || type->tp_del != nullptr || type->tp_finalize != nullptr ||
        !lives_and_dies(module, recipe, 1)) {
        return;
    }
    Own op(make_instance(module, recipe));
    if (!op || !heap::has_metadata(op.get()) || Py_REFCNT(op.get()) != 1) {
        return;
    }
    Own tuple(PyTuple_Pack(1, op.get()));
    announce(Rule::kCallCrashes, type->tp_name, way.place,
             "an attempt to store a tuple as " + way.text);
    if (way.put(op.get(), tuple.get()) < 0) {
        PyErr_Clear();
    }
    announce(Rule::kTraverseCrashes, type->tp_name, function_at(type->tp_traverse), "a traversal");
    const Visits visits = visits_of(op.get(), type->tp_traverse);
    // Else the fault is elsewhere: nobody else may have either of the two, and the cycle must be seen.
    if (!object::is_tracked(op.get()) || Py_REFCNT(op.get()) != 2 || Py_REFCNT(tuple.get()) != 2 ||
        visits.count(tuple.get()) != 1) {
        return;
    }
    op.reset();
    tuple.reset();
    announce(Rule::kClearCrashes, type->tp_name, place_of(type, type->tp_clear),
             "the collection of an instance that is part of a cycle");
    const size_t before = freed_instances();
    PyGC_Enable();
    PyGC_Collect();
    PyGC_Collect();
    if (freed_instances() == before) {
        report(Rule::kClearLeaves, type->tp_name, place_of(type, type->tp_clear),
               fmt::format("a cycle of an instance and a tuple, which is {}, is not collected",
                           way.text));
    }
}

}  // namespace

void check_end(PyObject* module, const Recipe& recipe, unsigned seconds) {
    PyTypeObject* type = module_types()[static_cast<size_t>(recipe.type)];
    look_alone(seconds, [&] { look_at_type(module, recipe, type); });
    if (!is_container_type(type) || type->tp_traverse == nullptr) {
        return;
    }
    for (const Way& way : attributes_of(type)) {
        look_alone(seconds, [&] { look_at_cycle(module, recipe, type, way); });
    }
}

}  // namespace ouro::contract
