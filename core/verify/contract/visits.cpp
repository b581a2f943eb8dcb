#include "core/verify/contract/visits.hpp"

#include <algorithm>
#include <set>

#include "core/builtins/container/dict.hpp"
#include "core/builtins/container/entries.hpp"
#include "core/verify/contract/module_types.hpp"
#include "core/verify/rules/is_object.hpp"

namespace ouro::contract {
namespace {

struct Call {
    Visits* visits;
    size_t stop_at;
    int answer;
    size_t calls = 0;
};

int note_visit(PyObject* op, void* arg) {
    auto& call = *static_cast<Call*>(arg);
    Visits& visits = *call.visits;
    ++call.calls;
    if (call.stop_at != 0 && call.calls > call.stop_at) {
        ++visits.after_stop;
    }
    if (op == nullptr) {
        ++visits.nulls;
    } else if (rules::is_object(op)) {
        visits.objects.push_back(op);
    } else {
        visits.no_objects.push_back(op);
    }
    return call.calls == call.stop_at ? call.answer : 0;
}

struct WantedVisits {
    const void* address;
    Py_ssize_t visits = 0;
};

int count_visit(PyObject* op, void* arg) {
    auto& wanted = *static_cast<WantedVisits*>(arg);
    wanted.visits += op == wanted.address ? 1 : 0;
    return 0;
}

int count_known_visit(PyObject* op, void* arg) {
    auto& visits = *static_cast<std::map<PyObject*, Py_ssize_t>*>(arg);
    if (const auto found = visits.find(op); found != visits.end()) {
        ++found->second;
    }
    return 0;
}

// Keys that the traversal of a dict leaves out. That of a type derived from dict may visit them itself.
template <visitproc visit>
void visit_left_out_keys(PyObject* dict, void* arg) {
    if (container::entries_of(Py_TYPE(dict)->tp_traverse) != nullptr) {
        return container::visit_left_out_keys(dict, visit, arg);
    }
    const Visits visits = visits_of(dict, Py_TYPE(dict)->tp_traverse);
    struct Visited {
        std::set<const PyObject*> objects;
        void* arg;
    } visited{{visits.objects.begin(), visits.objects.end()}, arg};
    container::visit_left_out_keys(
        dict,
        [](PyObject* key, void* of_visited) {
            const auto& its = *static_cast<Visited*>(of_visited);
            return its.objects.contains(key) ? 0 : visit(key, its.arg);
        },
        &visited);
}

// All tracked objects, and of dicts the keys, too, that their traversal leaves out.
template <visitproc visit>
void traverse_all(void* arg) {
    PyUnstable_GC_VisitObjects(
        [](PyObject* each, void* of_visit) {
            if (Py_TYPE(each)->tp_traverse == nullptr) {
                return 1;
            }
            Py_TYPE(each)->tp_traverse(each, visit, of_visit);
            if (PyDict_Check(each)) {
                visit_left_out_keys<visit>(each, of_visit);
            }
            return 1;
        },
        arg);
}

}  // namespace

size_t Visits::count(const PyObject* op) const {
    return static_cast<size_t>(std::ranges::count(objects, op));
}

Visits visits_of(PyObject* op, traverseproc traverse, size_t stop_at, int answer) {
    Visits visits;
    Call call{&visits, stop_at, answer};
    visits.result = traverse(op, note_visit, &call);
    return visits;
}

void keep_alive(PyObject* op) {
    constexpr int kReferences = 32;
    const PyTypeObject* type = Py_TYPE(op);
    if ((type->tp_flags & Py_TPFLAGS_HAVE_GC) == 0 || type->tp_traverse == nullptr) {
        return;
    }
    for (PyObject* each : visits_of(op, type->tp_traverse).objects) {
        for (int i = 0; i < kReferences; ++i) {
            Py_INCREF(each);
        }
    }
}

Py_ssize_t visits_by_all(PyObject* op) {
    WantedVisits wanted{op};
    traverse_all<count_visit>(&wanted);
    return wanted.visits;
}

void count_visits_by_all(std::map<PyObject*, Py_ssize_t>& visits) {
    traverse_all<count_known_visit>(&visits);
}

Reached reached_from(std::vector<PyObject*> those, const PyObject* op) {
    Reached reached;
    std::set<PyObject*> seen(those.begin(), those.end());
    while (!those.empty()) {
        PyObject* each = those.back();
        those.pop_back();
        const PyTypeObject* type = Py_TYPE(each);
        if (type->tp_traverse == nullptr) {
            // One of the module's may own a reference that it has no way to visit, and so may a capsule.
            reached.is_plain = reached.is_plain && !is_module_type(type) && type != &PyCapsule_Type;
            continue;
        }
        const Visits visits = visits_of(each, type->tp_traverse);
        reached.visits += static_cast<Py_ssize_t>(visits.count(op));
        for (PyObject* next : visits.objects) {
            if (next != op && !PyType_Check(next) && !PyModule_Check(next) &&
                seen.insert(next).second) {
                those.push_back(next);
            }
        }
    }
    return reached;
}

bool visits_address(PyObject* op, const void* address) {
    WantedVisits wanted{address};
    Py_TYPE(op)->tp_traverse(op, count_visit, &wanted);
    return wanted.visits != 0;
}

}  // namespace ouro::contract
