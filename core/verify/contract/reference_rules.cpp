#include "core/verify/contract/reference_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/heap/heap.hpp"
#include "core/object/object.hpp"
#include "core/object/own.hpp"
#include "core/verify/contract/module_types.hpp"
#include "core/verify/contract/visits.hpp"
#include "core/verify/contract/ways.hpp"

namespace ouro::contract {
namespace {

using object::Own;

// What an instance does to the count of a probe.
struct Counted {
    const PyTypeObject* type;
    Py_ssize_t taken;    // references, when it was given
    Py_ssize_t visited;  // by the instance, while it lived
    Py_ssize_t reached;  // visits by whatever the instance reaches, itself too
    bool is_plain;       // and all that could be followed
    bool is_tracked;
    bool died;         // so far as is known
    Py_ssize_t given;  // references, when the instance died
    Py_ssize_t ended;  // visits by whatever, which did not outlive it
};

// Drops the instance, to which the caller has the only reference that is known.
void count_death(PyObject* op, PyObject* probe, Counted& counted) {
    const bool alone = Py_REFCNT(op) == 1;
    const Py_ssize_t before = Py_REFCNT(probe), visits_before = visits_by_all(probe);
    Py_DECREF(op);
    counted.died = alone;
    counted.given = before - Py_REFCNT(probe);
    counted.ended = visits_before - visits_by_all(probe);
}

void judge(const Counted& counted, const std::string& way, bool is_set) {
    const PyTypeObject* type = counted.type;
    const Place traverse = place_of(type, type->tp_traverse);
    if (counted.visited > std::max<Py_ssize_t>(counted.taken, 0)) {
        report(Rule::kTraverseUnowned, type->tp_name, traverse,
               fmt::format("of {} the instance can own {} references, and visits {}", way,
                           counted.taken, counted.visited));
    } else if (counted.died && counted.is_tracked &&
               counted.given > std::max(counted.reached, counted.ended)) {
        report(Rule::kTraverseForgets, type->tp_name, traverse,
               fmt::format("of {} the instance owned {} references, which it dropped when it "
                           "died, and visited {}",
                           way, counted.given, counted.visited),
               counted.is_plain ? Certainty::kCertain : Certainty::kProbable);
    }
    if (is_set && counted.taken > 0 && counted.visited > 0 && type->tp_clear == nullptr) {
        report(Rule::kTypeNoClear, type->tp_name, traverse,
               fmt::format("{} can be set to a container, and there is no tp_clear", way));
    }
    if (counted.died && counted.given > counted.ended && !counted.is_tracked) {
        report(Rule::kObjectNeverTracked, type->tp_name, place_of(type, type->tp_new),
               fmt::format("the instance owns {}, a container, and is not tracked", way));
    }
}

bool is_judged(const PyObject* op) {
    const PyTypeObject* type = op->ob_type;
    return is_container_type(type) && type->tp_traverse != nullptr && heap::has_metadata(op);
}

Counted look_at(PyObject* op, PyObject* probe, Py_ssize_t before) {
    const Visits visits = visits_of(op, Py_TYPE(op)->tp_traverse);
    Counted counted{Py_TYPE(op),
                    Py_REFCNT(probe) - before,
                    static_cast<Py_ssize_t>(visits.count(probe)),
                    0,
                    true,
                    object::is_tracked(op),
                    false,
                    0,
                    0};
    const Reached reached = reached_from({op}, probe);
    counted.reached = reached.visits;
    counted.is_plain = reached.is_plain;
    PyErr_Clear();
    return counted;
}

void try_way(PyObject* module, const Recipe& recipe, const Way& way, Probe kind) {
    PyObject* op = make_instance(module, recipe);
    const Own probe(make_probe(kind));
    if (op == nullptr || !probe || !is_judged(op)) {
        Py_XDECREF(op);
        return;
    }
    const char* type = Py_TYPE(op)->tp_name;
    announce(Rule::kCallCrashes, type, way.place, "an attempt to store a container as " + way.text);
    keep_alive(op);
    const Py_ssize_t before = Py_REFCNT(probe.get());
    if (way.put(op, probe.get()) < 0) {
        PyErr_Clear();
    }
    announce(Rule::kTraverseCrashes, type, function_at(Py_TYPE(op)->tp_traverse),
             "a traversal with a container as " + way.text);
    Counted counted = look_at(op, probe.get(), before);
    announce(Rule::kCallCrashes, type, function_at(Py_TYPE(op)->tp_dealloc),
             "the death of an instance with a container as " + way.text);
    count_death(op, probe.get(), counted);
    judge(counted, text_of(way, kind), way.is_set);
}

void try_argument(PyObject* module, const Recipe& recipe, int at, Probe kind) {
    const Own probe(make_probe(kind));
    if (!probe) {
        return;
    }
    const Py_ssize_t before = Py_REFCNT(probe.get());
    PyObject* op = make_instance(module, recipe, probe.get(), at);
    if (op == nullptr || !is_judged(op)) {
        Py_XDECREF(op);
        return;
    }
    const std::string way = fmt::format("argument {} of {}", at + 1, text_of(module, recipe));
    announce(Rule::kTraverseCrashes, Py_TYPE(op)->tp_name, function_at(Py_TYPE(op)->tp_traverse),
             "a traversal with a container as " + way);
    Counted counted = look_at(op, probe.get(), before);
    count_death(op, probe.get(), counted);
    judge(counted, way, false);
}

}  // namespace

void check_references(PyObject* module, const Recipe& recipe, unsigned seconds) {
    const PyTypeObject* type = module_types()[static_cast<size_t>(recipe.type)];
    if (!is_container_type(type)) {
        return;
    }
    for (const Way& way : ways_of(type)) {
        for (const Probe kind : {Probe::kList, Probe::kText}) {
            look_alone(seconds, [&] { try_way(module, recipe, way, kind); });
        }
    }
    for (int at = 0; !recipe.iterate && at < recipe.count; ++at) {
        for (const Probe kind : {Probe::kList, Probe::kText}) {
            look_alone(seconds, [&] { try_argument(module, recipe, at, kind); });
        }
    }
}

}  // namespace ouro::contract
