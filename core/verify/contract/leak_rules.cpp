#include "core/verify/contract/leak_rules.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <vector>

#include "core/heap/heap.hpp"
#include "core/object/live_objects.hpp"
#include "core/object/own.hpp"
#include "core/verify/contract/module_types.hpp"
#include "core/verify/contract/new_objects.hpp"
#include "core/verify/contract/visits.hpp"
#include "core/verify/contract/ways.hpp"

namespace ouro::contract {
namespace {

using object::Own;

constexpr Py_ssize_t kRounds = 4;
// Where something is kept in each of them.
constexpr Py_ssize_t kManyRounds = 512;

Place first_of(Place place, const PyTypeObject* type) {
    return place.address != nullptr ? place : place_of(type, type->tp_dealloc);
}

// ---- What is given to instances, one after the other, all of which die.

struct Round {
    const PyTypeObject* type = nullptr;
    Py_ssize_t kept = 0;       // references, when the instance was dead
    bool was_taken = false;    // more of them, at first, than the instance visits
    bool was_visited = false;  // by the instance: a field had one
};

// False if that instance says nothing. `second`: what takes the probe's place before the end, or NULL.
bool play(PyObject* module, const Recipe& recipe, const Way& way, PyObject* probe, PyObject* second,
          Round& round) {
    PyObject* op = make_instance(module, recipe);
    if (op == nullptr) {
        return false;
    }
    const PyTypeObject* type = round.type = Py_TYPE(op);
    keep_alive(op);
    const Py_ssize_t before = Py_REFCNT(probe);
    announce(Rule::kCallCrashes, type->tp_name, way.place,
             "an attempt to store a container as " + way.text);
    for (PyObject* each : {probe, second}) {
        if (each != nullptr && way.put(op, each) < 0) {
            PyErr_Clear();
        }
        if (each == probe && is_container_type(type) && type->tp_traverse != nullptr) {
            const auto visited =
                static_cast<Py_ssize_t>(visits_of(op, type->tp_traverse).count(probe));
            round.was_taken = Py_REFCNT(probe) - before > visited;
            round.was_visited = visited > 0;
        }
    }
    if (Py_REFCNT(op) != 1) {
        return false;
    }
    announce(Rule::kCallCrashes, type->tp_name, place_of(type, type->tp_dealloc),
             "the death of an instance with a container as " + way.text);
    Py_DECREF(op);
    round.kept = Py_REFCNT(probe) - before;
    return true;
}

void give(PyObject* module, const Recipe& recipe, const Way& way, Probe kind, bool replace) {
    const Own probe(make_probe(kind));
    const Own second(replace ? make_probe(kind) : nullptr);
    if (!probe || (replace && !second)) {
        return;
    }
    for (int i = 0; i < 8 * kManyRounds; ++i) {
        Py_INCREF(probe.get());
    }
    const Py_ssize_t explained_before = visits_by_all(probe.get());
    const Py_ssize_t before = Py_REFCNT(probe.get());
    Round first, round;
    if (!play(module, recipe, way, probe.get(), second.get(), first)) {
        return;
    }
    Py_ssize_t rounds = 1;
    const auto go_on = [&](Py_ssize_t wanted) {
        for (; rounds < wanted; ++rounds) {
            if (!play(module, recipe, way, probe.get(), second.get(), round) ||
                round.kept != first.kept) {
                return false;
            }
        }
        // What was kept may be given back by whoever makes the next instance.
        return Py_REFCNT(probe.get()) - before == rounds * first.kept;
    };
    // What has an end is no leak: the last few that were replaced, say.
    if (!go_on(kRounds) || first.kept == 0 || !go_on(kManyRounds)) {
        return;
    }
    const Py_ssize_t kept = rounds * first.kept;
    const std::string text = text_of(way, kind);
    const char* type = round.type->tp_name;
    if (kept < 0) {
        report(Rule::kCountsGivenAway, type, first_of(way.place, round.type),
               fmt::format("{} instances were given a container as {}, and died: its count fell "
                           "by {}",
                           rounds, text, -kept));
    } else if (kept - (visits_by_all(probe.get()) - explained_before) > 0) {
        const bool by_the_taker = replace || round.was_taken;
        report(Rule::kCountsKept, type, first_of(by_the_taker ? way.place : Place{}, round.type),
               fmt::format("{} instances were given a container as {}{}, and died: {} references "
                           "to it are left that nobody visits",
                           rounds, text, replace ? ", which another then replaced" : "", kept),
               way.replaces && round.was_visited ? Certainty::kCertain : Certainty::kProbable);
    }
}

// ---- What repeated uses of an instance keep, and give away.

constexpr Py_ssize_t kUses = 8;

// References that nobody visits; an instance that is no container has one to its type.
std::map<PyObject*, Py_ssize_t> unexplained_references() {
    std::map<PyObject*, Py_ssize_t> references;
    object::for_each_mortal([&](PyObject* op) { references.emplace(op, 0); });
    count_visits_by_all(references);
    const NewObjects others([](PyObject* op) { return !is_container_type(Py_TYPE(op)); });
    const Numbers instances = others.numbers();
    for (auto& [op, number] : references) {
        const auto of_it = instances.find(reinterpret_cast<PyTypeObject*>(op));
        number = Py_REFCNT(op) - number - (of_it == instances.end() ? 0 : of_it->second);
    }
    return references;
}

void use_often(PyObject* op, const Use& wanted, Py_ssize_t times) {
    for (Py_ssize_t i = 0; i < times; ++i) {
        Py_XDECREF(wanted.call(op));
        PyErr_Clear();
    }
}

// Whether as many more references come with many more uses: what has an end is no leak.
bool goes_on(PyObject* op, const Use& wanted, PyObject* each, Py_ssize_t more) {
    constexpr Py_ssize_t kManyUses = 64 * kUses;
    const Own kept(Py_NewRef(each));
    const Py_ssize_t before = Py_REFCNT(each);
    use_often(op, wanted, kManyUses);
    return Py_REFCNT(each) - before == kManyUses / kUses * more;
}

// Of an object that was there before: the count of a container, which only others refer to that can be visited, is
// certain.
bool report_count(PyObject* op, const Use& wanted, const PyTypeObject* type, PyObject* each,
                  Py_ssize_t more) {
    const char* what = each == op ? "the instance" : Py_TYPE(each)->tp_name;
    if (more == -kUses) {
        report(Rule::kCountsGivenAway, type->tp_name, wanted.place,
               fmt::format("{} times {}: the count of {} falls by {}", kUses, wanted.text, what,
                           -more),
               heap::has_metadata(each) ? Certainty::kCertain : Certainty::kProbable);
        return true;
    }
    if (more >= kUses && more % kUses == 0 && goes_on(op, wanted, each, more)) {
        report(Rule::kCountsKept, type->tp_name, wanted.place,
               fmt::format("{} times {}: the count of {} rises by {}, and nobody visits it more "
                           "often",
                           kUses, wanted.text, what, more),
               wanted.only_looks && heap::has_metadata(each) ? Certainty::kCertain
                                                             : Certainty::kProbable);
        return true;
    }
    return false;
}

void use(PyObject* module, const Recipe& recipe, const Use& wanted) {
    PyObject* op = make_instance(module, recipe);
    if (op == nullptr) {
        return;
    }
    const PyTypeObject* type = Py_TYPE(op);
    fill_attributes(op);
    keep_alive(op);
    for (Py_ssize_t i = 0; i < 4 * kUses; ++i) {
        Py_INCREF(op);
    }
    announce(Rule::kCallCrashes, type->tp_name, wanted.place, wanted.text);
    use_often(op, wanted, 2);  // what is done once is done
    const std::map<PyObject*, Py_ssize_t> before = unexplained_references();
    use_often(op, wanted, kUses);
    std::map<const PyTypeObject*, Py_ssize_t> made;
    for (const auto& [each, references] : unexplained_references()) {
        if (const auto known = before.find(each); known == before.end()) {
            made[Py_TYPE(each)] += references > 0 ? 1 : 0;
        } else if (report_count(op, wanted, type, each, references - known->second)) {
            return;
        }
    }
    for (const auto& [each, number] : made) {
        if (number >= kUses && number % kUses == 0) {
            report(Rule::kCountsKept, type->tp_name, wanted.place,
                   fmt::format("{} times {}: {} more of type {}, to which there are references of "
                               "nobody who visits them",
                               kUses, wanted.text, number, each->tp_name),
                   Certainty::kProbable);
            return;
        }
    }
}

// ---- Instances that are new.

void keep_new(PyObject* module, const Recipe& recipe) {
    std::array<PyObject*, kRounds> made{};
    for (size_t i = 0; i < made.size(); ++i) {
        made[i] = make_instance(module, recipe);
        if (made[i] == nullptr || !heap::has_metadata(made[i])) {
            return;
        }
        for (size_t j = 0; j < i; ++j) {
            if (made[j] == made[i]) {
                return;
            }
        }
    }
    Py_ssize_t kept = 0;
    for (PyObject* op : made) {
        kept = Py_REFCNT(op) - 1 - visits_by_all(op);
        if (kept <= 0) {
            return;
        }
    }
    const PyTypeObject* type = Py_TYPE(made[0]);
    report(Rule::kCountsNew, type->tp_name, place_of(type, type->tp_new),
           fmt::format("what {} makes has {} references that nobody visits, besides the caller's",
                       text_of(module, recipe), kept));
}

}  // namespace

void check_leaks(PyObject* module, const Recipe& recipe, unsigned seconds) {
    const PyTypeObject* type = module_types()[static_cast<size_t>(recipe.type)];
    for (const Way& way : ways_of(type)) {
        for (const Probe kind : {Probe::kList, Probe::kText}) {
            for (const bool replace : {false, true}) {
                look_alone(seconds, [&] { give(module, recipe, way, kind, replace); });
            }
        }
    }
    for (const Use& each : uses_of(type)) {
        look_alone(seconds, [&] { use(module, recipe, each); });
    }
    look_alone(seconds, [&] { keep_new(module, recipe); });
}

}  // namespace ouro::contract
