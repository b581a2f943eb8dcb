#include "core/verify/contract/visits.hpp"

#include <algorithm>
#include <set>

#include "core/builtins/container/dict.hpp"
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

void follow(PyObject* op, const PyObject* wanted, std::set<PyObject*>& seen, Reached& reached) {
    if (op == wanted || PyType_Check(op) || PyModule_Check(op) || !seen.insert(op).second) {
        return;
    }
    const PyTypeObject* type = Py_TYPE(op);
    if (type->tp_traverse == nullptr) {
        // One of the module's may own a reference that it has no way to visit.
        reached.is_plain = reached.is_plain && !is_module_type(type);
        return;
    }
    const Visits visits = visits_of(op, type->tp_traverse);
    reached.visits += static_cast<Py_ssize_t>(visits.count(wanted));
    for (PyObject* each : visits.objects) {
        follow(each, wanted, seen, reached);
    }
}

// All tracked objects, and of dicts the keys, too, that their traversal leaves out.
template <visitproc visit>
void traverse_all(void* arg) {
    PyUnstable_GC_VisitObjects(
        [](PyObject* each, void* of_visit) {
            if (Py_TYPE(each)->tp_traverse != nullptr) {
                Py_TYPE(each)->tp_traverse(each, visit, of_visit);
            }
            if (PyDict_Check(each)) {
                container::visit_left_out_keys(each, visit, of_visit);
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

Reached reached_from(PyObject* instance, const PyObject* op) {
    Reached reached;
    std::set<PyObject*> seen;
    follow(instance, op, seen, reached);
    return reached;
}

bool visits_address(PyObject* op, const void* address) {
    WantedVisits wanted{address};
    Py_TYPE(op)->tp_traverse(op, count_visit, &wanted);
    return wanted.visits != 0;
}

}  // namespace ouro::contract
