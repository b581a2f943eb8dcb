// What the objects of a program do when the library calls them.
#include "tests/program/report.hpp"
#include "tests/program/world.hpp"

namespace ouro::program {

void World::finalize(PyObject* op) {
    const int node = box(op)->node;
    oracle_.finalizer_begins(node);
    if (PyErr_Occurred() != nullptr) {
        fail("the finalizer of o{} is called while an exception is set", node);
    }
    if (PyObject_GC_IsFinalized(op) == 0) {
        fail("o{} is being finalized and not marked so", node);
    }
    for (size_t i = 0; i < shadow_[node].slots.size(); ++i) {
        const int target = shadow_[node].slots[i];
        if (box(op)->slots[i] != (target == kNothing ? nullptr : object(target))) {
            fail("o{} is not whole in its finalizer", node);
        }
    }
    const Busy busy(*this, node);
    run_procedure(shadow_[node].traits.finalizer_runs, {.self = node});
}

PyObject* World::call(PyObject* op, PyObject* weak_op) {
    const int node = box(op)->node;
    const int weak = shadow_.find(weak_op);
    if (weak == kNothing) {
        fail("o{} is called with a weak reference that the program does not know", node);
    }
    oracle_.callback_begins(weak, node);
    if (PyErr_Occurred() != nullptr) {
        fail("the callback o{} is called while an exception is set", node);
    }
    // The library holds both while it calls.
    ++shadow_[weak].temporary;
    ++shadow_[node].temporary;
    shadow_.set_slot(weak, 0, kNothing);
    run_procedure(shadow_[node].traits.call_runs, {.self = node, .argument = weak});
    --shadow_[weak].temporary;
    --shadow_[node].temporary;
    return PyErr_Occurred() != nullptr ? nullptr : Py_NewRef(Py_None);
}

int World::clear(PyObject* op) {
    const int node = box(op)->node;
    oracle_.clear_begins(node);
    const Busy busy(*this, node);
    const Clear what = ending_ ? Clear::kAll : shadow_[node].traits.clear;
    const int procedure = shadow_[node].traits.clear_runs;
    switch (what) {
        case Clear::kDoesNothing:
            return 0;
        case Clear::kAllButProcedure:
            report.say("tp_clear of o{}", node);
            run_procedure(procedure, {.self = node});
            drop_slots(node);
            break;
        case Clear::kAllThenProcedure:
            report.say("tp_clear of o{}", node);
            drop_slots(node);
            run_procedure(procedure, {.self = node});
            break;
        case Clear::kAllAndRaise:
            drop_slots(node);
            PyErr_SetString(PyExc_RuntimeError, "tp_clear");
            ++raised_;
            break;
        case Clear::kAll:
            drop_slots(node);
            break;
    }
    return PyErr_Occurred() != nullptr ? -1 : 0;
}

void World::drop_slots(int node) {
    for (size_t i = 0; i < shadow_[node].slots.size(); ++i) {
        shadow_.set_slot(node, i, kNothing);
        Py_CLEAR(box(object(node))->slots[i]);
    }
}

void World::deallocate(PyObject* op) {
    const int node = box(op)->node;
    oracle_.deallocation_begins(node);
    if (shadow_[node].traits.finalizer) {
        const bool due = !shadow_[node].finalized;
        const int before = oracle_.expect(due ? node : kNothing);
        ++shadow_[node].temporary;
        const int revived = PyObject_CallFinalizerFromDealloc(op);
        --shadow_[node].temporary;
        oracle_.expect_again(before);
        if (due && !shadow_[node].finalized) {
            fail("o{} dies and was not finalized", node);
        }
        if ((revived < 0) != (shadow_.count(node) > 0)) {
            fail("PyObject_CallFinalizerFromDealloc of o{} returned {}, but: {}", node, revived,
                 shadow_.describe(node));
        }
        if (revived < 0) {
            // Deep inside other deallocations it was made young again, else it was not.
            shadow_[node].age = Age::kUnknown;
            ++oracle_.counts.revived_dying;
            return;
        }
    }
    PyObject_GC_UnTrack(op);
    shadow_[node].tracked = false;
    if (shadow_[node].traits.weak_list) {
        const std::vector<int> due = oracle_.weak_references_die(node);
        PyObject_ClearWeakRefs(op);
        oracle_.weak_references_died(node, due);
    }
    drop_slots(node);
    shadow_.die(node);
    ++oracle_.counts.deallocated;
    Py_TYPE(op)->tp_free(op);
}

int World::clear_built_in(PyObject* op, inquiry original) {
    const int node = shadow_.find(op);
    if (node == kNothing) {
        return original(op);
    }
    oracle_.clear_begins(node);
    // A callback that is due: cleared by hand before it is called, it may or may not be.
    shadow_[node].due_surely = false;
    const Uncertain items(*this, shadow_[node].slots);
    shadow_.empty(node);
    if (shadow_[node].traits.kind == Kind::kList) {
        shadow_.resize(node, 0);
    }
    shadow_[node].target = kNothing;
    return original(op);
}

void World::deallocate_built_in(PyObject* op, destructor original) {
    const int node = shadow_.find(op);
    if (node == kNothing) {
        original(op);
        return;
    }
    oracle_.deallocation_begins(node);
    const Uncertain items(*this, shadow_[node].slots);
    shadow_[node].tracked = false;
    shadow_.die(node);
    ++oracle_.counts.deallocated;
    original(op);
}

}  // namespace ouro::program
