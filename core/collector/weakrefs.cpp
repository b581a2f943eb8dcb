#include "core/collector/weakrefs.hpp"

#include <algorithm>

#include "core/object/weakref.hpp"

namespace ouro::collector {
namespace {

bool wants_call(PyWeakReference* reference) {
    auto* op = reinterpret_cast<PyObject*>(reference);
    // One whose deallocation has begun (it may wait in the trashcan) must not be revived.
    return reference->wr_callback != nullptr && Py_REFCNT(op) > 0 && !is_condemned(op);
}

template <class Visit>
void for_each_weak_reference(std::span<PyObject* const> condemned, Visit visit) {
    for (PyObject* op : condemned) {
        if (PyWeakReference** list = object::weak_list_of(op)) {
            for (PyWeakReference *reference = *list, *next; reference != nullptr;
                 reference = next) {
                next = reference->wr_next;
                visit(reference);
            }
        }
    }
}

// Those among them that are weak references themselves, while `visit` is true; whether it was to the end.
template <class Visit>
bool for_each_that_is_one(std::span<PyObject* const> objects, Visit visit) {
    // The last type that was not a weak reference's: often the next object's, too.
    const PyTypeObject* other = nullptr;
    for (PyObject* op : objects) {
        if (Py_TYPE(op) == other) {
            continue;
        }
        if (!PyWeakref_Check(op)) {
            other = Py_TYPE(op);
        } else if (!visit(reinterpret_cast<PyWeakReference*>(op))) {
            return false;
        }
    }
    return true;
}

}  // namespace

void kill_weak_references(std::span<PyObject* const> condemned, Candidates& called) {
    size_t calls = 0;
    for_each_weak_reference(condemned,
                            [&](PyWeakReference* reference) { calls += wants_call(reference); });
    make_room(called, calls);
    for_each_weak_reference(condemned, [&](PyWeakReference* reference) {
        if (wants_call(reference)) {
            called.push_back(Py_NewRef(reinterpret_cast<PyObject*>(reference)));
        }
        object::kill_weak_reference(reference);
    });
    (void)for_each_that_is_one(condemned,
                               [](PyWeakReference* reference) {  // inv.exact.quiet-callback
                                   object::kill_weak_reference(reference);
                                   return true;
                               });
}

bool has_weak_references(std::span<PyObject* const> objects) {
    return std::ranges::any_of(objects,
                               [](PyObject* op) {
                                   PyWeakReference* const* list = object::weak_list_of(op);
                                   return list != nullptr && *list != nullptr;
                               }) ||
           !for_each_that_is_one(objects, [](PyWeakReference*) { return false; });
}

void drop_condemned_callbacks(Candidates& called) {
    std::erase_if(called, [](PyObject* op) {
        if (!is_condemned(op)) {
            return false;
        }
        Py_DECREF(op);  // the collector has another
        return true;
    });
}

bool call_weak_callbacks(const Candidates& called, size_t& next, Deadline& deadline) {
    while (next < called.size()) {
        PyObject* op = called[next++];
        object::call_weak_callback(reinterpret_cast<PyWeakReference*>(op));
        Py_DECREF(op);
        if (deadline.has_passed(kCodeUnits)) {
            break;
        }
    }
    return next == called.size();
}

void drop_weak_callbacks(Candidates& called) {
    while (!called.empty()) {
        PyObject* op = called.back();
        called.pop_back();
        Py_DECREF(op);
    }
}

}  // namespace ouro::collector
