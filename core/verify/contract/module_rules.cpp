#include "core/verify/contract/module_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/heap/heap.hpp"
#include "core/object/own.hpp"
#include "core/verify/contract/instances.hpp"
#include "core/verify/contract/module_types.hpp"
#include "core/verify/contract/new_objects.hpp"
#include "core/verify/contract/traverse_rules.hpp"
#include "core/verify/contract/visits.hpp"
#include "core/verify/rules/is_object.hpp"

namespace ouro::contract {
namespace {

using object::Own;

// ---- What the state refers to.

struct Held {
    Py_ssize_t fields = 0, visits = 0, before = 0;
    // Visits by way of what the state refers to, m_traverse's own left out, and of others, which ended with the state.
    Reached reached;
    Py_ssize_t by_others = 0;
    int calls = 0;  // of m_clear and m_free, in which it lost references
};

// The containers whose addresses are in the state, in words of it.
std::map<PyObject*, Held> containers_in_state(PyObject* module, const PyModuleDef* def) {
    std::map<PyObject*, Held> held;
    const auto* state = static_cast<const char*>(PyModule_GetState(module));
    const auto bytes = state == nullptr ? 0 : static_cast<size_t>(def->m_size);
    for (size_t at = 0; at + sizeof(PyObject*) <= bytes; at += sizeof(PyObject*)) {
        PyObject* op;
        std::memcpy(&op, state + at, sizeof op);
        if (op != nullptr && heap::has_metadata(op) && rules::is_object(op) && Py_REFCNT(op) > 0 &&
            is_container_type(Py_TYPE(op)) && PyUnstable_IsImmortal(op) == 0) {
            ++held[op].fields;
        }
    }
    return held;
}

// How many references each object has lost since `before`.
Py_ssize_t dropped(const std::pair<PyObject* const, Held>& each) {
    return each.second.before - Py_REFCNT(each.first);
}

void clear_state(PyObject* module, const PyModuleDef* def, const char* name, Rule if_crashed) {
    if (def->m_clear != nullptr) {
        announce(if_crashed, name, function_at(def->m_clear), "a call of m_clear");
        def->m_clear(module);
        PyErr_Clear();
    }
}

// What dies with the state drops references, too: `reached`.
void judge(const PyModuleDef* def, const char* name, const std::pair<PyObject* const, Held>& each) {
    const Held& held = each.second;
    const char* type = Py_TYPE(each.first)->tp_name;
    const Place traverse = def->m_traverse == nullptr ? Place{} : function_at(def->m_traverse);
    const Place clear = def->m_clear == nullptr ? Place{} : function_at(def->m_clear);
    const Certainty certainty = held.reached.is_plain ? Certainty::kCertain : Certainty::kProbable;
    const Py_ssize_t owned = std::max(held.fields, held.visits);
    if (dropped(each) > owned + held.reached.visits) {
        report(Rule::kClearTwice, name, def->m_clear == nullptr ? function_at(def->m_free) : clear,
               fmt::format("m_clear, called twice, and m_free drop {} references to a {}, of "
                           "which the module's state has {}",
                           dropped(each), type, owned),
               // Once for each field, and for others', is no more than may be.
               held.calls > 1 ? certainty : Certainty::kProbable);
    } else if (dropped(each) > held.visits + held.reached.visits) {
        report(Rule::kTraverseForgets, name, traverse,
               fmt::format("m_clear and m_free drop {} references to a {} that the module's state "
                           "owned, and m_traverse visits {}",
                           dropped(each), type, held.visits),
               certainty);
    } else if (dropped(each) < held.visits) {
        const bool visits_too_often = held.visits > held.fields;
        report(visits_too_often ? Rule::kTraverseUnowned : Rule::kClearKeeps, name,
               visits_too_often || clear.address == nullptr ? traverse : clear,
               fmt::format("m_traverse visits {} references to a {}, of which m_clear and m_free "
                           "drop {}",
                           held.visits, type, dropped(each)));
    }
}

// What m_clear and m_free drop is what the state owned.
void look_at_state(PyObject* module, const PyModuleDef* def, const char* name) {
    std::map<PyObject*, Held> held = containers_in_state(module, def);
    if (held.empty() || (def->m_clear == nullptr && def->m_free == nullptr)) {
        return;
    }
    const Visits visits =
        def->m_traverse == nullptr ? Visits{} : visits_of(module, def->m_traverse);
    std::set<PyObject*> referred(visits.objects.begin(), visits.objects.end());
    std::erase_if(referred, [](PyObject* op) { return PyType_Check(op) || PyModule_Check(op); });
    const NewObjects objects([](PyObject*) { return true; });
    const Numbers there = objects.numbers();
    for (auto& [op, each] : held) {
        // It survives who drops too many, and with it what it refers to.
        constexpr int kReferences = 32;
        for (int i = 0; i < kReferences; ++i) {
            Py_INCREF(op);
        }
        each.visits = static_cast<Py_ssize_t>(visits.count(op));
        each.before = Py_REFCNT(op);
        std::set<PyObject*> others(referred);
        if (!PyType_Check(op)) {
            others.insert(op);  // what it refers to may refer to it
        }
        each.reached = reached_from({others.begin(), others.end()}, op);
        each.by_others = visits_by_all(op) - each.visits - each.reached.visits;
    }
    const auto count_drops = [&held](const auto& call) {
        std::map<PyObject*, Py_ssize_t> counts;
        for (const auto& [op, each] : held) {
            counts[op] = Py_REFCNT(op);
        }
        call();
        for (auto& [op, each] : held) {
            each.calls += Py_REFCNT(op) < counts[op] ? 1 : 0;
        }
    };
    count_drops([&] { clear_state(module, def, name, Rule::kClearCrashes); });
    count_drops([&] { clear_state(module, def, name, Rule::kClearTwice); });
    if (def->m_free != nullptr) {
        announce(Rule::kClearTwice, name, function_at(def->m_free),
                 "a call of m_free after m_clear");
        count_drops([&] { def->m_free(module); });
        PyErr_Clear();
    }
    const Numbers died = NewObjects::more(there, objects.numbers());
    const bool shows_all = std::ranges::none_of(died, [](const auto& each) {
        return each.first == &PyCapsule_Type ||
               (is_module_type(each.first) && !is_container_type(each.first));
    });
    for (auto& each : held) {
        Reached& reached = each.second.reached;
        reached.is_plain = reached.is_plain && shows_all;
        // Each instance drops its type, whoever visits it.
        if (const auto its = died.find(reinterpret_cast<PyTypeObject*>(each.first));
            its != died.end()) {
            reached.visits += its->second;
        }
        reached.visits +=
            std::max<Py_ssize_t>(each.second.by_others - visits_by_all(each.first), 0);
        judge(def, name, each);
    }
}

// ---- What remains of a module that was made once more, and died.

Place exec_place(const PyModuleDef* def) {
    for (const PyModuleDef_Slot* slot = def->m_slots; slot->slot != 0; ++slot) {
        if (slot->slot == Py_mod_exec) {
            return {slot->value, false};
        }
    }
    return {};
}

// False, with an exception, if it cannot be.
bool make_again(PyModuleDef* def, PyObject* spec) {
    const Own made(PyModule_FromDefAndSpec(def, spec));
    return made && PyModule_ExecDef(made.get(), def) == 0;
}

void look_at_initialisation(PyObject* module, PyModuleDef* def, const char* name) {
    if (!has_collector()) {
        return;  // no module with a type of its own dies
    }
    const Own spec(PyObject_GetAttrString(module, "__spec__"));
    const Place place = exec_place(def);
    announce(Rule::kCallCrashes, name, place, "the module made once more");
    ignore_new_types();
    constexpr int kTimes = 5;
    constexpr int kFirstTimes = 2;  // rounds, which make what is made once
    NewObjects objects([](PyObject*) { return true; });
    Numbers before = objects.numbers(), left;
    for (int i = 0; i < kTimes; ++i) {
        if (!spec || !make_again(def, spec.get())) {
            PyErr_Clear();
            return;
        }
        collect_all();
        const Numbers now = objects.numbers();
        const Numbers more = NewObjects::more(now, before);
        if (i == kFirstTimes) {
            left = more;
        } else if (i > kFirstTimes) {
            NewObjects::keep_same(left, more);
        }
        if (i == kFirstTimes - 1) {
            objects.note_there();
        }
        before = now;
    }
    for (const auto& [type, number] : left) {
        if (objects.unexplained(type) >= kTimes - kFirstTimes) {
            report(
                Rule::kCountsKept, name, place,
                fmt::format("each module that is made and dies leaves {} more of type {}, and to "
                            "one at least there are references of nobody who visits it",
                            number, type->tp_name),
                Certainty::kProbable);
            return;
        }
    }
}

PyModuleDef* definition_of(PyObject* module) {
    PyModuleDef* def = PyModule_Check(module) != 0 ? PyModule_GetDef(module) : nullptr;
    PyErr_Clear();
    return def;
}

std::string name_of(const PyModuleDef* def) {
    return fmt::format("module {}", def->m_name);
}

}  // namespace

void check_module_state(PyObject* module) {
    if (const PyModuleDef* def = definition_of(module)) {
        look_at_state(module, def, name_of(def).c_str());
    }
}

void check_module(PyObject* module, unsigned seconds) {
    PyModuleDef* def = definition_of(module);
    if (def == nullptr) {
        return;
    }
    const std::string name = name_of(def);
    check_module_traversal(module, name.c_str(), seconds);
    look_alone(seconds, [&] { look_at_state(module, def, name.c_str()); });
    if (def->m_slots != nullptr) {
        look_alone(seconds, [&] { look_at_initialisation(module, def, name.c_str()); });
    }
}

}  // namespace ouro::contract
