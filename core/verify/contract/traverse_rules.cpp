#include "core/verify/contract/traverse_rules.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "core/heap/heap.hpp"
#include "core/object/object.hpp"
#include "core/object/own.hpp"
#include "core/verify/contract/instances.hpp"
#include "core/verify/contract/module_types.hpp"
#include "core/verify/contract/object_rules.hpp"

namespace ouro::contract {
namespace {

// What the parts know of the instance, or the module.
struct Subject {
    PyObject* op;
    PyTypeObject* type;
    const char* name;
    Place place;
    std::string made;

    void accuse(Rule rule, const std::string& detail) const {
        report(rule, name, place, fmt::format("{}; the instance is {}", detail, made));
    }
    Visits visits(size_t stop_at = 0, int answer = 0) const {
        return visits_of(op, type->tp_traverse, stop_at, answer);
    }
};

// ---- What is visited.

// Last of all: the instance dies here, to see how many references to the type it owned; another field may have some.
void check_type_visited(const Subject& subject, const Visits& visits) {
    if (!is_heap_type(subject.type)) {
        return;
    }
    const auto count =
        static_cast<Py_ssize_t>(visits.count(reinterpret_cast<PyObject*>(subject.type)));
    if (count == 0) {
        subject.accuse(Rule::kTypeNotVisited, "tp_traverse does not visit Py_TYPE(self)");
    } else if (count > 1 && Py_REFCNT(subject.op) == 1) {
        const Py_ssize_t before = Py_REFCNT(subject.type);
        announce(Rule::kCallCrashes, subject.name, place_of(subject.type, subject.type->tp_dealloc),
                 "the death of " + subject.made);
        Py_DECREF(subject.op);
        if (is_freed(subject.op) &&
            count > std::max<Py_ssize_t>(before - Py_REFCNT(subject.type), 1)) {
            subject.accuse(Rule::kTypeVisitedTwice,
                           fmt::format("the type is visited {} times: by this handler and by that "
                                       "of {}",
                                       count, subject.type->tp_base->tp_name));
        }
    }
}

void check_managed_dict(const Subject& subject) {
    if ((subject.type->tp_flags & Py_TPFLAGS_MANAGED_DICT) == 0) {
        return;
    }
    PyObject* dict = object::pre_header_of(subject.op)->dict;
    if (dict == nullptr) {
        if (PyObject_SetAttrString(subject.op, "ouro_probe", Py_None) < 0) {
            PyErr_Clear();
        }
        dict = object::pre_header_of(subject.op)->dict;
    }
    if (dict != nullptr && subject.visits().count(dict) == 0) {
        subject.accuse(Rule::kTypeManagedDict, "the instance's managed dictionary is not visited");
    }
}

// Its list of weak references is not its own: none of them is held by it.
void check_weak_list(const Subject& subject) {
    if (subject.type->tp_weaklistoffset <= 0) {
        return;
    }
    const object::Own reference(PyWeakref_NewRef(subject.op, nullptr));
    if (!reference) {
        PyErr_Clear();
        return;
    }
    if (Py_REFCNT(reference.get()) > 1) {
        return;  // there was one already, which it may own
    }
    if (subject.visits().count(reference.get()) > 0) {
        subject.accuse(
            Rule::kTraverseUnowned,
            "a weak reference to the instance is visited, which the instance does not own");
    }
}

void check_addresses(const Subject& subject, const Visits& visits) {
    if (visits.nulls != 0) {
        subject.accuse(Rule::kTraverseNull,
                       fmt::format("visit is called with NULL {} times", visits.nulls));
    }
    if (!visits.no_objects.empty()) {
        subject.accuse(Rule::kTraverseNoObject,
                       fmt::format("visit is called with {}, which is no object, or not any more",
                                   visits.no_objects.front()));
    }
}

// ---- Side effects that can be read afterwards.

std::vector<std::pair<PyObject*, Py_ssize_t>> counts_of(const Subject& subject,
                                                        const Visits& visits) {
    std::vector<std::pair<PyObject*, Py_ssize_t>> counts;
    counts.emplace_back(subject.op, Py_REFCNT(subject.op));
    for (PyObject* op : visits.objects) {
        counts.emplace_back(op, Py_REFCNT(op));
    }
    return counts;
}

void check_counts(const Subject& subject, const Visits& first) {
    const auto before = counts_of(subject, first);
    const Visits second = subject.visits();
    for (const auto& [op, count] : before) {
        if (const Py_ssize_t now = Py_REFCNT(op); now != count) {
            subject.accuse(Rule::kTraverseCounts,
                           fmt::format("a traversal changes the count of {} from {} to {}",
                                       op == subject.op ? "the instance" : Py_TYPE(op)->tp_name,
                                       count, now));
            break;
        }
    }
    if (PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        subject.accuse(Rule::kTraverseRaises, "an exception is set after a traversal");
    }
    // In a row: who does one thing and another by turns is seen by two at least.
    if (second.objects != first.objects || subject.visits().objects != first.objects) {
        subject.accuse(Rule::kTraverseUnstable,
                       fmt::format("one traversal visits {} objects, the next {}, or others",
                                   first.objects.size(), second.objects.size()));
    }
}

// ---- What visit returns.

void check_result(const Subject& subject, const Visits& visits) {
    if (visits.result != 0) {
        subject.accuse(Rule::kTraverseUnasked,
                       fmt::format("it returns {} though visit returned 0", visits.result));
    }
    constexpr size_t kMostStops = 64;
    const size_t calls = visits.objects.size() + visits.nulls + visits.no_objects.size();
    for (size_t at = 1; at <= std::min(calls, kMostStops); ++at) {
        constexpr int kAnswer = 4711;  // nobody's own
        const Visits stopped = subject.visits(at, kAnswer);
        if (stopped.after_stop != 0) {
            subject.accuse(Rule::kTraverseStops,
                           fmt::format("visit number {} returned {}, and {} more followed", at,
                                       kAnswer, stopped.after_stop));
            return;
        }
        if (stopped.result != kAnswer) {
            subject.accuse(Rule::kTraverseStops,
                           fmt::format("visit number {} returned {}, tp_traverse {}", at, kAnswer,
                                       stopped.result));
            return;
        }
    }
}

void look_at_visits(const Subject& subject) {
    announce(Rule::kTraverseCrashes, subject.name, subject.place, "a traversal of " + subject.made);
    const Visits visits = subject.visits();
    check_addresses(subject, visits);
    check_result(subject, visits);
    check_counts(subject, visits);
    check_managed_dict(subject);
    check_weak_list(subject);
    check_type_visited(subject, visits);
}

// ---- Calls of the runtime: each of the module's functions that the document does not list is a trap for one call.

constexpr std::string_view kSafe[] = {
    "PyObject_VisitManagedDict",      "PyType_IsSubtype",
    "PyObject_GetTypeData_DuringGC",  "PyObject_GetItemData_DuringGC",
    "PyType_GetModuleState_DuringGC", "PyModule_GetState_DuringGC",
    "PyModule_GetToken_DuringGC",     "PyType_GetBaseByToken_DuringGC",
    "PyType_GetModule_DuringGC",      "PyType_GetModuleByToken_DuringGC",
};
// Not in the list, and without a side effect today: authors had nothing else before 3.15.
constexpr std::string_view kQuiet[] = {
    "PyObject_GetTypeData",  "PyObject_GetItemData",  "PyType_GetModule", "PyModule_GetState",
    "PyType_GetModuleState", "PyType_GetModuleByDef", "PyType_GetFlags",  "PyType_GetSlot",
    "PyObject_GC_IsTracked", "PyObject_IS_GC",        "PyList_Size",      "PyTuple_Size",
    "PyList_GetItem",        "PyTuple_GetItem",       "PyDict_Next",      "PyMem_RawMalloc",
    "PyMem_RawFree",
};

const Subject* trapped_subject = nullptr;

[[noreturn]] void be_trapped(size_t number) {
    const std::string& name = module_calls().functions()[number].name;
    const bool counts = name == "_Ouro_IncRefSlow" || name == "_Ouro_DecRefSlow" ||
                        name == "Py_IncRef" || name == "Py_DecRef";
    const bool quiet = std::ranges::find(kQuiet, name) != std::end(kQuiet);
    const Subject& subject = *trapped_subject;
    if (counts) {
        subject.accuse(Rule::kTraverseCounts, "a traversal changes a reference count");
    } else {
        report(Rule::kTraverseUnsafe, subject.name, subject.place,
               fmt::format("it calls {}; the instance is {}", name, subject.made),
               quiet ? Certainty::kProbable : Certainty::kCertain);
    }
    _exit(0);
}

template <size_t number>
[[noreturn]] void trap() {
    be_trapped(number);
}
template <size_t... numbers>
constexpr auto make_traps(std::index_sequence<numbers...>) {
    return std::array<void (*)(), sizeof...(numbers)>{trap<numbers>...};
}
constexpr size_t kTraps = 1024;

bool is_of_the_runtime(std::string_view name) {
    return name.starts_with("Py") || name.starts_with("_Py") || name.starts_with("_Ouro_") ||
           name.starts_with("Ouro_");
}

void look_at_calls(const Subject& subject) {
    static constexpr auto traps = make_traps(std::make_index_sequence<kTraps>());
    announce(Rule::kTraverseCrashes, subject.name, subject.place, "a traversal of " + subject.made);
    trapped_subject = &subject;
    const auto& functions = module_calls().functions();
    for (size_t i = 0; i < std::min(functions.size(), kTraps); ++i) {
        const std::string& name = functions[i].name;
        // What a module's state is, its handler has to ask.
        const bool is_needed = PyModule_Check(subject.op) != 0 && name == "PyModule_GetState";
        if (is_of_the_runtime(name) && !is_needed &&
            !module_calls().contains(*functions[i].entry) &&
            std::ranges::find(kSafe, name) == std::end(kSafe)) {
            ModuleCalls::store(functions[i].entry, reinterpret_cast<void*>(traps[i]));
        }
    }
    subject.visits();
    _exit(0);  // nothing else of the module can run any more
}

// ---- Stores: the instance's page and the module's variables are read-only for one call.

struct {
    const Subject* subject;
    uintptr_t page;  // of the instance
    size_t bytes;
} watched;

void note_store(int, siginfo_t* info, void* context) {
    const auto at = reinterpret_cast<uintptr_t>(info->si_addr);
    const Subject& subject = *watched.subject;
    const bool is_variable = module_calls().is_variable(info->si_addr);
    Place place = subject.place;
    Certainty certainty = Certainty::kProbable;
#if defined(__x86_64__)
    const auto* code = reinterpret_cast<const void*>(
        static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
    if (module_calls().contains(code)) {
        place = {code, true};
        certainty = Certainty::kCertain;
    }
#else
    (void)context;
#endif
    if (is_variable) {
        report(Rule::kTraverseWritesModule, subject.name, place,
               "a traversal stores to a variable of the module");
    } else if (at - watched.page < watched.bytes) {
        report(Rule::kTraverseWrites, subject.name, place,
               "a traversal stores to the instance, or to an object beside it", certainty);
    } else {
        std::signal(SIGSEGV, SIG_DFL);  // of its own: it happens again
        return;
    }
    _exit(0);
}

void look_at_stores(const Subject& subject) {
    announce(Rule::kTraverseCrashes, subject.name, subject.place, "a traversal of " + subject.made);
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<uintptr_t>(subject.op) & ~(page - 1);
    const auto end =
        reinterpret_cast<uintptr_t>(subject.op) + heap::usable_size(subject.op) + page - 1;
    watched = {&subject, begin, (end & ~(page - 1)) - begin};
    subject.visits();  // what is done once, as by a first call of another library, is done
    struct sigaction action = {};
    action.sa_sigaction = note_store;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
    mprotect(reinterpret_cast<void*>(begin), watched.bytes, PROT_READ);
    for (const ModuleCalls::Range& range : module_calls().variables()) {
        const uintptr_t first = range.begin & ~(page - 1);
        mprotect(reinterpret_cast<void*>(first), range.end - first, PROT_READ);
    }
    subject.visits();
    _exit(0);
}

// ---- Two traversals at once: the second runs from beginning to end in the midst of the first, as it can if another
// thread, or a collector's, has the processor. Nobody changes the instance meanwhile.

struct Nested {
    const Subject* subject;
    size_t inner_at;  // the visit of the outer one, from 1
    std::vector<PyObject*> outer{};
    std::vector<PyObject*> inner{};
};

int note_inner(PyObject* op, void* arg) {
    static_cast<Nested*>(arg)->inner.push_back(op);
    return 0;
}

int note_outer(PyObject* op, void* arg) {
    auto& nested = *static_cast<Nested*>(arg);
    nested.outer.push_back(op);
    if (nested.outer.size() == nested.inner_at) {
        nested.subject->type->tp_traverse(nested.subject->op, note_inner, arg);
    }
    return 0;
}

void look_at_two_at_once(const Subject& subject) {
    constexpr size_t kMostVisits = 16;
    const Visits expected = subject.visits();
    if (!expected.no_objects.empty() || expected.nulls != 0) {
        return;  // that has been told
    }
    announce_nothing();  // a handler that locks something waits for itself here
    alarm(1);
    for (size_t at = 1; at <= std::min(expected.objects.size(), kMostVisits); ++at) {
        Nested nested{&subject, at};
        subject.type->tp_traverse(subject.op, note_outer, &nested);
        if (nested.outer != expected.objects || nested.inner != expected.objects) {
            subject.accuse(
                Rule::kTraverseConcurrent,
                fmt::format("alone it visits {} objects; if another traversal begins "
                            "and ends at its visit number {}, it visits {}, the other {}, "
                            "or others",
                            expected.objects.size(), at, nested.outer.size(), nested.inner.size()));
            return;
        }
    }
}

void check_all(const Subject& subject, unsigned seconds) {
    for (const auto part : {look_at_visits, look_at_calls, look_at_stores, look_at_two_at_once}) {
        look_alone(seconds, [&] { part(subject); });
    }
}

}  // namespace

void check_answers(PyObject* op, const std::string& made, const Visits& visits) {
    PyTypeObject* type = Py_TYPE(op);
    check_result({op, type, type->tp_name, place_of(type, type->tp_traverse), made}, visits);
}

void check_traversal(PyObject* op, const std::string& made, unsigned seconds) {
    PyTypeObject* type = Py_TYPE(op);
    if (is_container_type(type) && type->tp_traverse != nullptr &&
        module_calls().contains(reinterpret_cast<const void*>(type->tp_traverse)) &&
        heap::in_heap(op)) {
        check_all({op, type, type->tp_name, function_at(type->tp_traverse), made}, seconds);
    }
}

void check_module_traversal(PyObject* module, const char* name, unsigned seconds) {
    if (const auto traverse = PyModule_GetDef(module)->m_traverse; traverse != nullptr) {
        check_all({module, Py_TYPE(module), name, function_at(traverse), "the module"}, seconds);
    }
}

}  // namespace ouro::contract
