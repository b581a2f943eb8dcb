#include "core/verify/contract/clear_rules.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "core/object/object.hpp"
#include "core/object/own.hpp"
#include "core/verify/contract/module_types.hpp"
#include "core/verify/contract/visits.hpp"
#include "core/verify/contract/ways.hpp"

namespace ouro::contract {
namespace {

using object::Own;

Place clear_place(const PyTypeObject* type) {
    return place_of(type, type->tp_clear);
}

void clear_instance(PyObject* op, Rule if_crashed) {
    announce(if_crashed, Py_TYPE(op)->tp_name, clear_place(Py_TYPE(op)), "a call of tp_clear");
    Py_TYPE(op)->tp_clear(op);
    PyErr_Clear();
}

// False if the instance does not take it.
bool put_in(PyObject* op, const Way& way, PyObject* value) {
    announce(Rule::kCallCrashes, Py_TYPE(op)->tp_name, way.place,
             "an attempt to store a container as " + way.text);
    const bool done = way.put(op, value) == 0;
    PyErr_Clear();
    return done;
}

// ---- How often it drops a reference that it owned: not at all, once, or twice.

void clear_two_times(PyObject* module, const Recipe& recipe, const Way& way, Probe kind) {
    PyObject* op = make_instance(module, recipe);
    const Own probe(make_probe(kind));
    if (op == nullptr || !probe) {
        return;
    }
    constexpr int kReferences = 32;
    for (int i = 0; i < kReferences; ++i) {
        Py_INCREF(probe.get());
    }
    keep_alive(op);
    PyTypeObject* type = Py_TYPE(op);
    const Py_ssize_t before = Py_REFCNT(probe.get());
    put_in(op, way, probe.get());
    const Py_ssize_t taken = Py_REFCNT(probe.get()) - before;
    if (taken <= 0 || Py_REFCNT(op) != 1) {
        return;
    }
    const auto visited =
        static_cast<Py_ssize_t>(visits_of(op, type->tp_traverse).count(probe.get()));
    clear_instance(op, Rule::kClearCrashes);
    const bool is_visited = visits_address(op, probe.get());
    const Py_ssize_t after_one = Py_REFCNT(probe.get()) - before;
    clear_instance(op, Rule::kClearTwice);
    const Py_ssize_t after_two = Py_REFCNT(probe.get()) - before;
    announce(Rule::kClearTwice, type->tp_name, clear_place(type),
             "the death of an instance after tp_clear");
    Py_DECREF(op);
    const Py_ssize_t at_last = Py_REFCNT(probe.get()) - before;
    if (after_one < taken && at_last < 0) {
        report(Rule::kClearTwice, type->tp_name, clear_place(type),
               fmt::format("the instance owned {} references to {}; tp_clear dropped {}, {}", taken,
                           text_of(way, kind), taken - after_one,
                           after_two < after_one ? "and called again as many more"
                                                 : "and tp_dealloc the same again"));
    }
    // Others may have what is more than was visited.
    if (!is_visited && at_last > taken - visited) {
        report(Rule::kClearKeeps, type->tp_name, clear_place(type),
               fmt::format("the instance visited {} references to {}, and none after tp_clear; of "
                           "these tp_clear and tp_dealloc together dropped {}",
                           visited, text_of(way, kind), taken - at_last));
    }
}

// ---- The moment at which a reference is dropped.

struct {
    PyObject* op = nullptr;
    const void* probe = nullptr;
    bool was_visited = false;
} watched_field;

// The callback of a weak reference to what was in the field, and dies just now.
PyObject* look_at_field(PyObject*, PyObject*) {
    if (watched_field.op != nullptr && Py_REFCNT(watched_field.op) > 0 &&
        object::is_tracked(watched_field.op)) {
        watched_field.was_visited |= visits_address(watched_field.op, watched_field.probe);
    }
    return Py_NewRef(Py_None);
}

// Has an instance drop the only reference to a probe, by tp_clear or, if `again`, by setting the field anew.
void drop_in_field(PyObject* module, const Recipe& recipe, const Way& way, Probe kind, bool again) {
    PyObject* op = make_instance(module, recipe);
    Own probe(make_watched_probe(kind));
    const Own second(make_watched_probe(kind));
    static PyMethodDef definition = {"look", look_at_field, METH_O, nullptr};
    const Own callback(PyCFunction_New(&definition, nullptr));
    const Own reference(probe ? PyWeakref_NewRef(probe.get(), callback.get()) : nullptr);
    if (op == nullptr || !second || !reference || !put_in(op, way, probe.get())) {
        return;
    }
    watched_field.op = op;
    watched_field.probe = probe.get();
    probe.reset();
    if (PyWeakref_IsDead(reference.get()) != 0) {
        return;
    }
    const Rule rule = again ? Rule::kSetDropsFirst : Rule::kClearDropsFirst;
    PyTypeObject* type = Py_TYPE(op);
    const Place place = again && way.place.address != nullptr ? way.place : clear_place(type);
    announce(rule, type->tp_name, place, "a traversal while the old object of a field dies");
    if (!again) {
        type->tp_clear(op);
    } else if (way.put(op, second.get()) < 0) {
        PyErr_Clear();
    }
    if (watched_field.was_visited) {
        report(rule, type->tp_name, place,
               fmt::format("while {} dies, whose reference was dropped, tp_traverse still comes "
                           "to it",
                           text_of(way, kind)));
    }
    _exit(0);
}

// ---- Whether an instance can be used that was cleared.

void use_cleared(PyObject* module, const Recipe& recipe, const Use& wanted) {
    PyObject* op = make_instance(module, recipe);
    if (op == nullptr) {
        return;
    }
    fill_attributes(op);
    clear_instance(op, Rule::kClearCrashes);
    announce(Rule::kClearUnusable, Py_TYPE(op)->tp_name, wanted.place,
             wanted.text + " of a cleared instance");
    Py_XDECREF(wanted.call(op));
    PyErr_Clear();
}

void set_cleared(PyObject* module, const Recipe& recipe, const Way& way, Probe kind) {
    PyObject* op = make_instance(module, recipe);
    const Own probe(make_probe(kind));
    if (op == nullptr || !probe) {
        return;
    }
    clear_instance(op, Rule::kClearCrashes);
    announce(Rule::kClearUnusable, Py_TYPE(op)->tp_name, way.place,
             "storing a container in a cleared instance as " + way.text);
    way.put(op, probe.get());
    PyErr_Clear();
    Py_DECREF(op);
}

}  // namespace

void check_clear(PyObject* module, const Recipe& recipe, unsigned seconds) {
    const PyTypeObject* type = module_types()[static_cast<size_t>(recipe.type)];
    if (!is_container_type(type) || type->tp_traverse == nullptr) {
        return;
    }
    const bool has_clear = module_calls().contains(reinterpret_cast<const void*>(type->tp_clear));
    for (const Way& way : ways_of(type)) {
        for (const Probe kind : {Probe::kList, Probe::kText}) {
            if (way.replaces) {
                look_alone(seconds, [&] { drop_in_field(module, recipe, way, kind, true); });
            }
            if (has_clear) {
                look_alone(seconds, [&] { drop_in_field(module, recipe, way, kind, false); });
                look_alone(seconds, [&] { clear_two_times(module, recipe, way, kind); });
                look_alone(seconds, [&] { set_cleared(module, recipe, way, kind); });
            }
        }
    }
    for (const Use& each : has_clear ? uses_of(type) : std::vector<Use>()) {
        look_alone(seconds, [&] { use_cleared(module, recipe, each); });
    }
}

}  // namespace ouro::contract
