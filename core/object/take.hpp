// Taking references from fields that other threads may be replacing.
#pragma once

#include "concurrency/point/point.hpp"
#include "concurrency/refcount/try_incref.hpp"
#include "core/mutator/critical_section.hpp"
#include "core/object/object.hpp"

namespace ouro::object {

// A reference without owning one, if that is possible without asking anybody (inv.count.no-resurrection).
// Pre: op is, or was at the calling thread's last safepoint, an object in the heap.
inline bool try_incref(PyObject* op) {
    return refcount::try_incref(biased_word(op), shared_word(op), _Ouro_ThreadWord);
}

// A new reference to what a field of `container` refers to; nullptr if there is none.
//
// `find()` returns the field's place at this moment, or nullptr; it is called again to see whether the
// place is still the field's. Writers hold the container's lock, store in one word, drop the old
// reference after that, never reuse a place for another field while it may be read, and free its memory
// late. The lock is taken here only if the object's owner alone could tell whether it lives.
template <class Find>
PyObject* take(const Find& find, const void* container) {
    PyObject** place = find();
    // acquire: pairs with the release of whoever stored it; the object is initialised.
    const auto load = [&] {
        OURO_POINT("take.load");
        return place == nullptr ? nullptr : __atomic_load_n(place, __ATOMIC_ACQUIRE);
    };
    PyObject* op = load();
    if (!mutator::is_free_threaded()) {
        return Py_XNewRef(op);
    }
    while (op != nullptr && try_incref(op)) {
        OURO_POINT("take.taken");
        // A reference to something; to what the field refers to if that is still the same: as long as
        // it is held, its slot is not used for anything else.
        if (load() == op && find() == place) {
            return op;
        }
        Py_DECREF(op);
        place = find();
        op = load();
    }
    if (op == nullptr) {
        return nullptr;
    }
    const mutator::Guard guard(container);
    place = find();
    op = load();
    if (op != nullptr) {
        refcount::set_maybe_weakref(shared_word(op));  // the next reader needs no lock
        Py_INCREF(op);
    }
    return op;
}

}  // namespace ouro::object
