#include "core/verify/contract/allocation_rules.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <string_view>
#include <type_traits>

#include "core/object/own.hpp"
#include "core/verify/contract/judged_run.hpp"
#include "core/verify/contract/module_types.hpp"
#include "core/verify/contract/new_objects.hpp"
#include "core/verify/contract/object_rules.hpp"
#include "core/verify/contract/visits.hpp"
#include "core/verify/contract/ways.hpp"

namespace ouro::contract {
namespace {

using object::Own;

// The allocation that is to fail, counted down; 0: none.
int countdown = 0;
bool has_failed = false;
const char* failed_function = "";
// Instances of the module's types that it allocated.
size_t allocated = 0;

bool fails(const char* function) {
    if (countdown == 0 || --countdown != 0) {
        return false;
    }
    has_failed = true;
    failed_function = function;
    return true;
}

// What stands in the place of a function that the module calls.
template <auto function, bool sets_exception>
struct Stand;
template <class Result, class... Arguments, Result (*function)(Arguments...), bool sets_exception>
struct Stand<function, sets_exception> {
    static inline const char* name;
    static inline Result (*original)(Arguments...);

    static Result call(Arguments... arguments) {
        if (fails(name)) {
            if constexpr (sets_exception) {
                PyErr_NoMemory();
            }
            if constexpr (std::is_pointer_v<Result>) {
                return nullptr;
            } else {
                return -1;
            }
        }
        const Result result = original(arguments...);
        if constexpr (std::is_same_v<Result, PyObject*> || std::is_same_v<Result, PyVarObject*>) {
            auto* op = reinterpret_cast<PyObject*>(result);
            allocated += op != nullptr && is_allocator(name) && is_module_type(Py_TYPE(op)) ? 1 : 0;
        }
        return result;
    }

    // Of those that make instances of any type.
    static bool is_allocator(std::string_view function_name) {
        return function_name.starts_with("_PyObject_");
    }
    // Where it stands from now on.
    static void take_place(const ModuleCalls::Function& of) {
        name = of.name.c_str();
        original = reinterpret_cast<Result (*)(Arguments...)>(*of.entry);
        ModuleCalls::store(of.entry, reinterpret_cast<void*>(call));
    }
};

using TakePlace = void (*)(const ModuleCalls::Function& of);

const std::map<std::string_view, TakePlace>& stands() {
    static const std::map<std::string_view, TakePlace> all = {
#define OBJECT(function) {#function, Stand<function, true>::take_place}
#define MEMORY(function) \
    { #function, Stand<function, false>::take_place }
        OBJECT(_PyObject_GC_New),     OBJECT(_PyObject_GC_NewVar),
        OBJECT(_PyObject_New),        OBJECT(_PyObject_NewVar),
        OBJECT(PyList_New),           OBJECT(PyList_Append),
        OBJECT(PyTuple_New),          OBJECT(PyDict_New),
        OBJECT(PyDict_SetItem),       OBJECT(PyDict_SetItemString),
        OBJECT(PyDict_Copy),          OBJECT(PySet_New),
        OBJECT(PySequence_List),      OBJECT(PySequence_Tuple),
        OBJECT(PyUnicode_FromString), OBJECT(PyUnicode_FromStringAndSize),
        OBJECT(PyBytes_FromString),   OBJECT(PyBytes_FromStringAndSize),
        OBJECT(PyLong_FromLong),      OBJECT(PyLong_FromSsize_t),
        OBJECT(PyFloat_FromDouble),   OBJECT(PyWeakref_NewRef),
        MEMORY(PyMem_Malloc),         MEMORY(PyMem_Calloc),
        MEMORY(PyMem_Realloc),        MEMORY(PyObject_Malloc),
        MEMORY(PyObject_Calloc),      MEMORY(PyObject_Realloc),
#undef OBJECT
#undef MEMORY
    };
    return all;
}

std::map<const PyTypeObject*, allocfunc> own_allocs;

PyObject* stand_for_alloc(PyTypeObject* type, Py_ssize_t items) {
    if (fails("tp_alloc")) {
        return PyErr_NoMemory();
    }
    const PyTypeObject* owner = type;
    while (owner != nullptr && !own_allocs.contains(owner)) {
        owner = owner->tp_base;  // a class that derives from the module's has its slot
    }
    PyObject* op =
        owner == nullptr ? PyType_GenericAlloc(type, items) : own_allocs[owner](type, items);
    allocated += op != nullptr && is_module_type(type) ? 1 : 0;
    return op;
}

void take_places() {
    for (const ModuleCalls::Function& each : module_calls().functions()) {
        if (const auto found = stands().find(each.name); found != stands().end()) {
            found->second(each);
        }
    }
    for (PyTypeObject* type : module_types()) {
        if (type->tp_alloc != nullptr) {
            own_allocs[type] = type->tp_alloc;
            type->tp_alloc = stand_for_alloc;
        }
    }
}

// A call that may allocate.
struct Subject {
    std::string text;
    Place place;
    // A new reference; nullptr with an exception. `op`: an instance, unless the call makes one.
    std::function<PyObject*(PyObject* op, PyObject* probe)> call;
    bool makes_instance;
};

struct Balance {
    Py_ssize_t probe = 0;      // references to what the call was given, that nobody visits
    Py_ssize_t instances = 0;  // that it made, and did not free
    friend bool operator==(const Balance&, const Balance&) = default;
};

class Experiment {
public:
    Experiment(PyObject* module, const Recipe& recipe, const Subject& subject, int number)
        : module_(module), recipe_(recipe), subject_(subject), number_(number) {}

    // Fails the allocation some times over. False if the call makes no so many.
    bool run() {
        constexpr int kRounds = 4;
        PyTypeObject* type = module_types()[static_cast<size_t>(recipe_.type)];
        PyObject* op = subject_.makes_instance ? nullptr : make_instance(module_, recipe_);
        probe_ = PyList_New(0);
        if ((op == nullptr && !subject_.makes_instance) || probe_ == nullptr) {
            return false;
        }
        for (int i = 0; i < 64; ++i) {
            Py_INCREF(probe_);
        }
        take_places();
        Balance balance;
        for (int i = 0; i < kRounds; ++i) {
            const Balance next = round(type, op);
            if (!has_failed || (i > 0 && !(next == balance))) {
                return has_failed;
            }
            balance = next;
        }
        judge(type, balance, kRounds);
        return true;
    }

private:
    std::string text() const {
        return fmt::format("{}, in which allocation {} ({}) fails", subject_.text, number_,
                           failed_function);
    }

    Balance round(const PyTypeObject* type, PyObject* op) {
        const Py_ssize_t before = Py_REFCNT(probe_) - visits_by_all(probe_);
        const size_t freed_before = freed_instances();
        NewObjects instances([](PyObject* each) { return is_module_type(Py_TYPE(each)); });
        if (subject_.makes_instance) {
            instances.note_there();
        }
        allocated = 0;
        has_failed = false;
        announce(Rule::kCallNoMemory, type->tp_name, subject_.place,
                 fmt::format("{}, in which allocation {} fails,", subject_.text, number_));
        countdown = number_;
        PyObject* result = subject_.call(op, probe_);
        countdown = 0;
        const Own raised(PyErr_GetRaisedException());
        if (has_failed && breaks_exception_rule(result, raised.get())) {
            report(Rule::kCallNoException, type->tp_name, subject_.place,
                   result == nullptr ? text() + ": it returns NULL without an exception, or an "
                                                "instance with one"
                                     : text() + ": it succeeds, and an exception is set");
        }
        const bool failed = result == nullptr;
        announce(Rule::kCallNoMemory, type->tp_name, place_of(type, type->tp_dealloc),
                 "what is left after " + text());
        Py_XDECREF(result);
        PyErr_Clear();
        if (!failed) {
            return {};
        }
        return {Py_REFCNT(probe_) - visits_by_all(probe_) - before,
                subject_.makes_instance && allocated > freed_instances() - freed_before
                    ? unexplained(instances)
                    : 0};
    }

    // How many new instances of the module's are left to which somebody has references who does not visit them: others wait
    // for a collection, or are the module's.
    static Py_ssize_t unexplained(const NewObjects& instances) {
        Py_ssize_t number = 0;
        for (const PyTypeObject* type : module_types()) {
            number += instances.unexplained(type);
        }
        return number;
    }

    void judge(const PyTypeObject* type, const Balance& balance, int rounds) const {
        if (balance.instances > 0) {
            report(Rule::kCountsKept, type->tp_name, subject_.place,
                   fmt::format("{} times {}: {} instances are left", rounds, text(),
                               rounds * balance.instances));
        } else if (balance.probe > 0) {
            report(Rule::kCountsKept, type->tp_name, subject_.place,
                   fmt::format("{} times {}: {} references to its argument are left", rounds,
                               text(), rounds * balance.probe));
        } else if (balance.probe < 0) {
            report(Rule::kCountsGivenAway, type->tp_name, subject_.place,
                   fmt::format("{} times {}: the count of its argument falls by {}", rounds, text(),
                               -rounds * balance.probe));
        }
    }

    PyObject* module_;
    const Recipe& recipe_;
    const Subject& subject_;
    int number_;
    PyObject* probe_ = nullptr;
};

std::vector<Subject> subjects_of(PyObject* module, const Recipe& recipe) {
    const PyTypeObject* type = module_types()[static_cast<size_t>(recipe.type)];
    std::vector<Subject> subjects;
    if (!recipe.iterate) {
        const std::string text = text_of(module, recipe);
        const Place place = place_of(type, type->tp_new);
        subjects.push_back({text, place,
                            [module, &recipe](PyObject*, PyObject*) {
                                return call_of(module, recipe, nullptr, 0);
                            },
                            true});
        for (int at = 0; at < recipe.count; ++at) {
            subjects.push_back({text, place,
                                [module, &recipe, at](PyObject*, PyObject* probe) {
                                    return call_of(module, recipe, probe, at);
                                },
                                true});
        }
    }
    for (const Way& way : ways_of(type)) {
        subjects.push_back({"a container as " + way.text, way.place,
                            [put = way.put](PyObject* op, PyObject* probe) {
                                return put(op, probe) < 0 ? nullptr : Py_NewRef(Py_None);
                            },
                            false});
    }
    for (const Use& use : uses_of(type)) {
        subjects.push_back({use.text, use.place,
                            [call = use.call](PyObject* op, PyObject*) { return call(op); },
                            false});
    }
    return subjects;
}

}  // namespace

void check_allocations(PyObject* module, const Recipe& recipe, unsigned seconds) {
    constexpr int kMostAllocations = 16;
    for (const Subject& subject : subjects_of(module, recipe)) {
        for (int number = 1; number <= kMostAllocations; ++number) {
            const bool was_reached = in_child(seconds, [&] {
                PyGC_Disable();
                return Experiment(module, recipe, subject, number).run();
            });
            if (!was_reached) {
                break;
            }
        }
    }
}

}  // namespace ouro::contract
