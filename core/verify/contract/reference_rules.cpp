#include "core/verify/contract/reference_rules.hpp"

#include <fmt/format.h>

#include <functional>
#include <set>

#include "core/heap/heap.hpp"
#include "core/object/object.hpp"
#include "core/object/own.hpp"
#include "core/verify/contract/module_types.hpp"
#include "core/verify/contract/visits.hpp"

namespace ouro::contract {
namespace {

using object::Own;

int done(PyObject* result) {
    Py_XDECREF(result);
    return result == nullptr ? -1 : 0;
}

// Of its methods, each with the probe as its only argument.
void add_methods(const PyTypeObject* type, std::vector<Way>& ways) {
    for (const PyMethodDef* each = type->tp_methods; each != nullptr && each->ml_name != nullptr;
         ++each) {
        constexpr int kNotOne = METH_NOARGS | METH_CLASS | METH_STATIC;
        if ((each->ml_flags & kNotOne) == 0) {
            const char* name = each->ml_name;
            ways.push_back(
                {fmt::format("an argument of {}()", name), [name](PyObject* op, PyObject* probe) {
                     return done(PyObject_CallMethod(op, name, "(O)", probe));
                 }});
        }
    }
}

void add_items(std::vector<Way>& ways) {
    ways.push_back({"the item 'a'", [](PyObject* op, PyObject* probe) {
                        const Own key(PyUnicode_FromString("a"));
                        return PyObject_SetItem(op, key.get(), probe);
                    }});
    ways.push_back({"the item 0", [](PyObject* op, PyObject* probe) {
                        const Own key(PyLong_FromLong(0));
                        return PyObject_SetItem(op, key.get(), probe);
                    }});
}

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
};

// Drops the instance, to which the caller has the only reference that is known.
void count_death(PyObject* op, PyObject* probe, Counted& counted) {
    const bool alone = Py_REFCNT(op) == 1;
    const Py_ssize_t before = Py_REFCNT(probe);
    Py_DECREF(op);
    counted.died = alone;
    counted.given = before - Py_REFCNT(probe);
}

void judge(const Counted& counted, const std::string& way) {
    const PyTypeObject* type = counted.type;
    const Place traverse = place_of(type, type->tp_traverse);
    if (counted.visited > counted.taken) {
        report(Rule::kTraverseUnowned, type->tp_name, traverse,
               fmt::format("of {} the instance can own {} references, and visits {}", way,
                           counted.taken, counted.visited));
    } else if (counted.died && counted.is_tracked && counted.given > counted.reached) {
        report(Rule::kTraverseForgets, type->tp_name, traverse,
               fmt::format("of {} the instance owned {} references, which it dropped when it "
                           "died, and visited {}",
                           way, counted.given, counted.visited),
               counted.is_plain ? Certainty::kCertain : Certainty::kProbable);
    }
    if (counted.died && counted.given > 0 && !counted.is_tracked) {
        report(Rule::kObjectNeverTracked, type->tp_name, place_of(type, type->tp_new),
               fmt::format("the instance owns {}, a container, and is not tracked", way));
    }
}

bool is_judged(const PyObject* op) {
    const PyTypeObject* type = op->ob_type;
    return is_container_type(type) && type->tp_traverse != nullptr && heap::has_metadata(op);
}

// Follows references from an instance, but not out through types and modules, which refer to everything.
void follow(PyObject* op, const PyObject* probe, std::set<PyObject*>& seen, Counted& counted) {
    if (op == probe || PyType_Check(op) || PyModule_Check(op) || !seen.insert(op).second) {
        return;
    }
    const PyTypeObject* type = Py_TYPE(op);
    if (type->tp_traverse == nullptr) {
        // One of the module's may own a reference that it has no way to visit.
        counted.is_plain = counted.is_plain && !is_module_type(type);
        return;
    }
    const Visits visits = visits_of(op, type->tp_traverse);
    counted.reached += static_cast<Py_ssize_t>(visits.count(probe));
    for (PyObject* each : visits.objects) {
        follow(each, probe, seen, counted);
    }
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
                    0};
    std::set<PyObject*> seen;
    follow(op, probe, seen, counted);
    PyErr_Clear();
    return counted;
}

// A list; or, for who takes nothing but text, an instance of a class that derives from str, which may have attributes.
enum class Probe { kList, kText };

PyObject* make_probe(Probe kind) {
    if (kind == Probe::kList) {
        return PyList_New(0);
    }
    const Own cls(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(O){}", "Text",
                                        &PyUnicode_Type));
    PyObject* probe = cls ? PyObject_CallFunction(cls.get(), "s", "a") : nullptr;
    if (probe == nullptr) {
        PyErr_Clear();
    }
    return probe;
}

void try_way(PyObject* module, const Recipe& recipe, const Way& way, Probe kind) {
    PyObject* op = make_instance(module, recipe);
    const Own probe(make_probe(kind));
    if (op == nullptr || !probe || !is_judged(op)) {
        Py_XDECREF(op);
        return;
    }
    const char* type = Py_TYPE(op)->tp_name;
    announce(Rule::kCallCrashes, type, {}, "an attempt to store a container as " + way.text);
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
    judge(counted, kind == Probe::kList ? way.text
                                        : way.text + ", an instance of a class derived from str,");
}

void try_argument(PyObject* module, const Recipe& recipe, int at) {
    const Own probe(PyList_New(0));
    const Py_ssize_t before = Py_REFCNT(probe.get());
    PyObject* op = make_instance(module, recipe, probe.get(), at);
    if (op == nullptr || !is_judged(op)) {
        Py_XDECREF(op);
        return;
    }
    const std::string way = fmt::format("argument {} of {}", at + 1, text_of(module, recipe));
    announce(Rule::kTraverseCrashes, Py_TYPE(op)->tp_name, function_at(Py_TYPE(op)->tp_traverse),
             "a traversal with a list as " + way);
    Counted counted = look_at(op, probe.get(), before);
    count_death(op, probe.get(), counted);
    judge(counted, way);
}

}  // namespace

std::vector<Way> attributes_of(const PyTypeObject* type) {
    std::vector<Way> ways;
    const auto add = [&ways](const char* name) {
        ways.push_back(
            {fmt::format("the attribute '{}'", name), [name](PyObject* op, PyObject* probe) {
                 return PyObject_SetAttrString(op, name, probe);
             }});
    };
    for (; type != nullptr; type = type->tp_base) {
        for (const PyMemberDef* each = type->tp_members; each != nullptr && each->name != nullptr;
             ++each) {
            if ((each->flags & Py_READONLY) == 0) {
                add(each->name);
            }
        }
        for (const PyGetSetDef* each = type->tp_getset; each != nullptr && each->name != nullptr;
             ++each) {
            if (each->set != nullptr) {
                add(each->name);
            }
        }
    }
    return ways;
}

void fill_attributes(PyObject* op) {
    for (const Way& way : attributes_of(Py_TYPE(op))) {
        const Own value(PyList_New(0));
        announce(Rule::kCallCrashes, Py_TYPE(op)->tp_name, {}, "an attempt to set " + way.text);
        if (way.put(op, value.get()) < 0) {
            PyErr_Clear();
        }
    }
}

void check_references(PyObject* module, const Recipe& recipe, unsigned seconds) {
    const PyTypeObject* type = module_types()[static_cast<size_t>(recipe.type)];
    if (!is_container_type(type)) {
        return;
    }
    std::vector<Way> ways = attributes_of(type);
    add_methods(type, ways);
    add_items(ways);
    for (const Way& way : ways) {
        for (const Probe kind : {Probe::kList, Probe::kText}) {
            look_alone(seconds, [&] { try_way(module, recipe, way, kind); });
        }
    }
    for (int at = 0; !recipe.iterate && at < recipe.count; ++at) {
        look_alone(seconds, [&] { try_argument(module, recipe, at); });
    }
}

}  // namespace ouro::contract
