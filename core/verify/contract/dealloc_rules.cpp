#include "core/verify/contract/dealloc_rules.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <set>

#include "core/heap/heap.hpp"
#include "core/object/object.hpp"
#include "core/object/own.hpp"
#include "core/verify/contract/module_types.hpp"
#include "core/verify/contract/object_rules.hpp"
#include "core/verify/contract/visits.hpp"
#include "core/verify/contract/ways.hpp"

namespace ouro::contract {
namespace {

using object::Own;

Place dealloc_place(const PyTypeObject* type) {
    return place_of(type, type->tp_dealloc);
}

// ---- Code that runs in the middle of it: the callback of a weak reference, to what the instance refers to or to the
// instance itself.

struct {
    PyObject* op = nullptr;  // which is about to die
    bool was_late = false;
    bool was_freed_tracked = false;  // which has a rule of its own
} dying;

// A collection now would traverse an instance without a reference, and half of its fields. While a finalizer runs, the
// instance has one.
PyObject* look_from_inside(PyObject*, PyObject*) {
    PyObject* op = dying.op;
    dying.was_late |=
        op != nullptr && heap::has_metadata(op) && object::is_tracked(op) && Py_REFCNT(op) == 0;
    return Py_NewRef(Py_None);
}

Own callback_from_inside() {
    static PyMethodDef definition = {"look", look_from_inside, METH_O, nullptr};
    return Own(PyCFunction_New(&definition, nullptr));
}

bool note_freed(PyObject* op) {
    if (op == dying.op) {
        dying.was_freed_tracked = heap::has_metadata(op) && object::is_tracked(op);
        dying.op = nullptr;
    }
    return false;
}

void drop_watched(PyObject* op, const std::string& point) {
    const PyTypeObject* type = Py_TYPE(op);
    dying.op = op;
    set_free_hook(note_freed);
    Py_DECREF(op);
    if (dying.was_late && !dying.was_freed_tracked) {
        report(Rule::kDeallocUntracksLate, type->tp_name, dealloc_place(type),
               fmt::format("when {}, the instance is still tracked: a collection there would "
                           "traverse it",
                           point));
    }
}

void die_with_field(PyObject* module, const Recipe& recipe, const Way& way, Probe kind) {
    PyObject* op = make_instance(module, recipe);
    Own probe(make_watched_probe(kind));
    const Own callback = callback_from_inside();
    const Own reference(probe ? PyWeakref_NewRef(probe.get(), callback.get()) : nullptr);
    if (op == nullptr || !reference) {
        return;
    }
    announce(Rule::kCallCrashes, Py_TYPE(op)->tp_name, way.place,
             "an attempt to store a container as " + way.text);
    if (way.put(op, probe.get()) < 0) {
        PyErr_Clear();
    }
    probe.reset();
    if (Py_REFCNT(op) == 1 && PyWeakref_IsDead(reference.get()) == 0) {
        announce(Rule::kCallCrashes, Py_TYPE(op)->tp_name, dealloc_place(Py_TYPE(op)),
                 "the death of an instance");
        drop_watched(op, fmt::format("{} dies, which tp_dealloc dropped", way.text));
    }
}

// The lists that the instance made for itself hold what is watched.
void die_with_lists(PyObject* module, const Recipe& recipe) {
    PyObject* op = make_instance(module, recipe);
    if (op == nullptr || !is_container_type(Py_TYPE(op)) || Py_REFCNT(op) != 1 ||
        Py_TYPE(op)->tp_traverse == nullptr) {
        return;
    }
    std::vector<Own> references;
    for (PyObject* each : visits_of(op, Py_TYPE(op)->tp_traverse).objects) {
        const Own probe(make_watched_probe(Probe::kList));
        const Own callback = callback_from_inside();
        if (probe && PyList_CheckExact(each) && Py_REFCNT(each) == 1 &&
            PyList_Append(each, probe.get()) == 0) {
            references.emplace_back(PyWeakref_NewRef(probe.get(), callback.get()));
        }
    }
    if (!references.empty()) {
        announce_nothing();
        drop_watched(op, "an element of a list dies, which tp_dealloc dropped");
    }
}

void die_with_weak_reference(PyObject* module, const Recipe& recipe) {
    PyObject* op = make_instance(module, recipe);
    if (op == nullptr || Py_REFCNT(op) != 1 || !PyType_SUPPORTS_WEAKREFS(Py_TYPE(op))) {
        return;
    }
    PyTypeObject* type = Py_TYPE(op);
    const Own callback = callback_from_inside();
    const Own reference(PyWeakref_NewRef(op, callback.get()));
    if (!reference || Py_REFCNT(op) != 1) {
        PyErr_Clear();
        return;
    }
    const size_t freed = freed_instances();
    announce(Rule::kCallCrashes, type->tp_name, dealloc_place(type), "the death of an instance");
    drop_watched(op, "the callback of a weak reference to it runs");
    const bool was_freed = is_container_type(type) ? is_freed(op) : freed_instances() != freed;
    if (was_freed && reinterpret_cast<PyWeakReference*>(reference.get())->wr_object == op) {
        report(Rule::kDeallocWeak, type->tp_name, dealloc_place(type),
               "an instance was freed, and a weak reference still refers to it");
    }
}

// ---- The call that frees it.

// What is known of a death: one at a time.
struct Death {
    PyObject* op = nullptr;
    PyTypeObject* type = nullptr;
    destructor dealloc = nullptr;  // the type's own
    Py_ssize_t type_before = 0;    // the type's count
    Py_ssize_t type_when_freed = -1;
    Py_ssize_t count_when_freed = 0;
    uintptr_t page = 0;  // the instance's, without access since it was "freed"
    size_t bytes = 0;
};
Death death;

void unprotect() {
    if (death.bytes != 0) {
        mprotect(reinterpret_cast<void*>(death.page), death.bytes, PROT_READ | PROT_WRITE);
        death.bytes = 0;
    }
}

// An access to the pages of an instance that is freed, so far as the module knows.
void note_access(int, siginfo_t* info, void* context) {
    const auto at = reinterpret_cast<uintptr_t>(info->si_addr);
    const auto op = reinterpret_cast<uintptr_t>(death.op);
    const auto size = static_cast<uintptr_t>(death.type->tp_basicsize);
    if (at - death.page >= death.bytes) {
        std::signal(SIGSEGV, SIG_DFL);  // of its own: it happens again
        return;
    }
    if (at - op >= size) {
        unprotect();  // a neighbour; from here on nothing is seen
        return;
    }
    Place place = dealloc_place(death.type);
#if defined(__x86_64__)
    const auto* code = reinterpret_cast<const void*>(
        static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
    if (module_calls().contains(code)) {
        place = {code, true};
    }
#else
    (void)context;
#endif
    report(Rule::kDeallocAfterFree, death.type->tp_name, place,
           fmt::format("byte {} of an instance is used after tp_free", at - op));
    _exit(0);
}

// In the place of PyObject_GC_Del: the memory stays, and is out of reach until tp_dealloc returns.
bool keep_freed(PyObject* op) {
    if (op != death.op || death.type_when_freed >= 0) {
        return false;
    }
    death.type_when_freed = Py_REFCNT(death.type);
    death.count_when_freed = Py_REFCNT(op);
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto address = reinterpret_cast<uintptr_t>(op);
    death.page = address & ~(page - 1);
    const uintptr_t end =
        (address + static_cast<uintptr_t>(death.type->tp_basicsize) + page - 1) & ~(page - 1);
    death.bytes = end - death.page;
    mprotect(reinterpret_cast<void*>(death.page), death.bytes, PROT_NONE);
    return true;
}

void dealloc_from_outside(PyObject* op) {
    death.dealloc(op);
    if (op == death.op) {
        unprotect();
    }
}

void judge_death(Py_ssize_t visits_of_type, Place place) {
    PyTypeObject* type = death.type;
    if (death.type_when_freed < 0) {
        return;
    }
    if (death.count_when_freed > 0) {
        report(Rule::kDeallocAlive, type->tp_name, place,
               fmt::format("an instance is freed by tp_dealloc that has {} references",
                           death.count_when_freed),
               // One may be its own, for what it calls meanwhile.
               death.count_when_freed > 1 || type->tp_finalize != nullptr ? Certainty::kCertain
                                                                          : Certainty::kProbable);
    }
    // Whoever dropped one reference in all owned none but this.
    const Py_ssize_t early = death.type_before - death.type_when_freed;
    const Py_ssize_t dropped = death.type_before - Py_REFCNT(type);
    if (is_heap_type(type) && early == 1 && dropped == 1 && visits_of_type <= 1) {
        report(Rule::kDeallocTypeEarly, type->tp_name, place,
               "the reference to the type is dropped before tp_free is called, which the type may "
               "not live to see");
    }
}

void watch_one_death(PyObject* module, const Recipe& recipe) {
    PyObject* op = make_instance(module, recipe);
    if (op == nullptr || Py_REFCNT(op) != 1 || !heap::in_heap(op)) {
        return;
    }
    PyTypeObject* type = Py_TYPE(op);
    const Place place = dealloc_place(type);
    if (place.address == nullptr) {
        return;
    }
    Py_ssize_t visits_of_type = 0;
    if (is_container_type(type) && type->tp_traverse != nullptr) {
        visits_of_type = static_cast<Py_ssize_t>(
            visits_of(op, type->tp_traverse).count(reinterpret_cast<PyObject*>(type)));
    }
    death.op = op;
    death.type = type;
    death.dealloc = type->tp_dealloc;
    death.type_before = Py_REFCNT(type);
    type->tp_dealloc = dealloc_from_outside;
    set_free_hook(keep_freed);
    struct sigaction action = {};
    action.sa_sigaction = note_access;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
    announce(Rule::kCallCrashes, type->tp_name, place, "the death of an instance");
    Py_DECREF(op);
    type->tp_dealloc = death.dealloc;
    judge_death(visits_of_type, place);
    _exit(0);  // the heap is not what it should be
}

// ---- Whether it frees at all.

void let_many_die(PyObject* module, const Recipe& recipe) {
    constexpr size_t kDeaths = 4096;  // many more than a list of free ones has
    std::set<PyObject*> dead;
    PyTypeObject* type = nullptr;
    const size_t freed = freed_instances();
    do {
        PyObject* op = make_instance(module, recipe);
        if (op == nullptr || Py_REFCNT(op) != 1 || !heap::has_metadata(op)) {
            return;
        }
        type = Py_TYPE(op);
        announce(Rule::kCallCrashes, type->tp_name, dealloc_place(type),
                 "the death of an instance");
        Py_DECREF(op);
        // One that is kept for later is used again.
        if (!dead.insert(op).second || freed_instances() != freed) {
            return;
        }
    } while (dead.size() < kDeaths);
    for (PyObject* op : dead) {
        if (is_freed(op) || Py_REFCNT(op) != 0) {
            return;
        }
    }
    report(Rule::kDeallocNoFree, type->tp_name, dealloc_place(type),
           fmt::format("{} instances died, one after the other, and the memory of none was freed "
                       "or used again",
                       kDeaths));
}

}  // namespace

void check_dealloc(PyObject* module, const Recipe& recipe, unsigned seconds) {
    const PyTypeObject* type = module_types()[static_cast<size_t>(recipe.type)];
    for (const Way& way : is_container_type(type) ? ways_of(type) : std::vector<Way>()) {
        for (const Probe kind : {Probe::kList, Probe::kText}) {
            look_alone(seconds, [&] { die_with_field(module, recipe, way, kind); });
        }
    }
    for (const auto part :
         {die_with_lists, die_with_weak_reference, watch_one_death, let_many_die}) {
        look_alone(seconds, [&] { part(module, recipe); });
    }
}

}  // namespace ouro::contract
